import { type Command, Option } from "commander"
import { queryOf } from "../arguments.ts"
import { reading } from "../index-file.ts"
import { countOption, examples, roleOption, type Run } from "./pieces.ts"

// The commands that find and read.

/** Messages of one page of `read`; the index reads no more at a time. */
export const READ_MAX = 500

export function addFinding(program: Command, anyRun: Run): void {
  const run = reading(anyRun)
  addSearch(program, run)
  addRead(program, run)
  addEdits(program, run)
  addLineage(program, run)
  addExport(program, run)
}

function addSearch(program: Command, run: Run): void {
  program
    .command("search")
    .description("search messages; with a flag sessions, projects or file edits")
    .argument("[query...]", "words (all must occur), '\"a phrase\"', -excluded, path:src/a.ts, project:all")
    .option("--sessions", "list sessions, without message text")
    .option("--projects", "list the projects of matching sessions")
    .option("--edits", "list file edits of matching sessions")
    .addOption(roleOption("whose messages the words must be in"))
    .option(
      "--date <when>",
      'today, yesterday, 7d, "last 7 days", "since yesterday", 2026-03, "2026-03-01 to 2026-03-31", "since 2026-03-01"',
    )
    .addOption(countOption("--limit <count>", "most results", 1))
    .addOption(new Option("--sort <order>", "order of the results").choices(["newest", "relevance"]))
    .option("--include <kinds>", "also subagents, archived, reverted (commas between)")
    .option("--project <which>", "all, an id, or a folder; default: the project one stands in")
    .option("--json", "one JSON document")
    .addHelpText(
      "after",
      examples(
        ["baton search token refresh", "sessions in which both words occur"],
        [`baton search '"token refresh"' -revert`, "the phrase, without sessions that say revert"],
        ["baton search --sessions --project all --date 'last 7 days'", "this week, everywhere"],
        ["baton search --edits path:src/auth.ts", "who changed a file"],
        ["baton search login --json | jq -r '.sessions[].sessionID'", "ids for a script"],
      ),
    )
    .action((words: string[], options: object) =>
      run(async (context) =>
        (await import("../commands/search.ts")).search(context, queryOf(words), options),
      ),
    )
}

function addRead(program: Command, run: Run): void {
  program
    .command("read")
    .description("print a conversation as Markdown, from either end or around a message")
    .argument("<session>", "session id")
    .argument("[message]", "message id: what stands around it")
    .addOption(new Option("--from <end>", "which end to begin at").choices(["start", "end"]))
    .addOption(countOption("--limit <count>", "messages (default 20)", 1, READ_MAX))
    .addOption(countOption("--before <count>", "messages before [message] (default 5)", 0, READ_MAX))
    .addOption(countOption("--after <count>", "messages after [message] (default 5)", 0, READ_MAX))
    .option("--cursor <message>", "go on after this message, or before it with --from end")
    .option("--all", "the whole conversation")
    .addOption(roleOption("only their messages"))
    .option("--tools", "what tools were given and what they answered")
    .option("--reasoning", "what the model thought")
    .option("--no-pager", "never page")
    .option("--json", "one JSON document")
    .addHelpText(
      "after",
      examples(
        ["baton read ses_x", "its first 20 messages"],
        ["baton read ses_x --from end --limit 5", "how it ended"],
        ["baton read ses_x msg_y --tools", "around a hit, tools included"],
      ),
    )
    .action((session: string, message: string | undefined, options: object) =>
      run(async (context) => (await import("../commands/read.ts")).read(context, session, message, options)),
    )
}

function addEdits(program: Command, run: Run): void {
  program
    .command("edits")
    .description("who changed a file, when, and the prompt behind it; follows moves")
    .argument("<path>", "file, or folder with a slash at its end")
    .option("--diff", "what was changed, where the history holds it")
    .option("--date <when>", "as in search")
    .addOption(countOption("--limit <count>", "most edits (default 50)", 1))
    .option("--project <which>", "as in search")
    .option("--json", "one JSON document")
    .addHelpText("after", examples(["baton edits src/auth.ts --diff", "the file's history, with diffs"]))
    .action((path: string, options: object) =>
      run(async (context) => (await import("../commands/edits.ts")).edits(context, path, options)),
    )
}

function addLineage(program: Command, run: Run): void {
  program
    .command("lineage")
    .description("handoffs, forks and subagents as a tree")
    .argument("[session]", "session id; default: every chain of the project one stands in")
    .addOption(countOption("--limit <count>", "most chains (default 20)", 1))
    .option("--project <which>", "as in search")
    .option("--json", "one JSON document")
    .addHelpText("after", examples(["baton lineage ses_x", "where its work came from and went"]))
    .action((session: string | undefined, options: object) =>
      run(async (context) => (await import("../commands/lineage.ts")).lineage(context, session, options)),
    )
}

function addExport(program: Command, run: Run): void {
  program
    .command("export")
    .description("one session as Markdown, JSON or an HTML page that prints well")
    .argument("<session>", "session id")
    .addOption(
      new Option("--format <form>", "default: by the file's ending, else md").choices(["md", "json", "html"]),
    )
    .option("--output <file>", "write to a file that does not exist yet; default: standard output")
    .option("--force", "overwrite the file")
    .option("--tools", "what tools were given and what they answered")
    .option("--reasoning", "what the model thought")
    .addHelpText(
      "after",
      examples(["baton export ses_x --output session.html", "a page to keep or to print"]),
    )
    .action((session: string, options: object) =>
      run(async (context) =>
        (await import("../commands/export.ts")).exportSession(context, session, options),
      ),
    )
}
