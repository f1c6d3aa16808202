import type { EditsAnswer, NoHitHelp, ProjectsAnswer, SearchAnswer } from "../../history/contract.ts"
import type { Asked } from "../asking.ts"
import { askedJson, editJson, helpJson, hitJson, jsonText, matchJson, reachJson, timeJson } from "./json.ts"

// The documents of `search --json` and `edits --json`.

export function sessionsJson(asked: Asked, answer: SearchAnswer, hits: boolean, maskSecrets: boolean) {
  const text = jsonText(maskSecrets)
  return {
    kind: hits ? "messages" : "sessions",
    asked: askedJson(asked),
    count: answer.sessions.length,
    sessions: answer.sessions.map((match) => ({
      ...matchJson(match, text),
      ...(hits
        ? { hits: match.hits.map((hit) => hitJson(hit, text)), otherMessages: match.others ?? null }
        : {}),
    })),
    ...(hits ? { best: answer.best ?? null } : {}),
    ...reachJson(answer),
    ...helpJson(answer.help, text),
  }
}

export function projectsJson(
  asked: Asked,
  answer: ProjectsAnswer,
  help: NoHitHelp | undefined,
  maskSecrets: boolean,
) {
  return {
    kind: "projects",
    asked: askedJson(asked),
    count: answer.projects.length,
    projects: answer.projects.map((project) => ({
      projectID: project.id,
      directories: project.directories,
      sessions: project.sessions,
      updated: timeJson(project.updated),
    })),
    ...reachJson(answer),
    ...helpJson(help, jsonText(maskSecrets)),
  }
}

export function editsJson(asked: Asked, answer: EditsAnswer, maskSecrets: boolean) {
  const text = jsonText(maskSecrets)
  return {
    kind: "edits",
    asked: askedJson(asked),
    count: answer.edits.length,
    edits: answer.edits.map((edit) => editJson(edit, text)),
    knownSince: timeJson(answer.knownSince),
    ...reachJson(answer),
    ...helpJson(answer.help, text),
  }
}
