import { Argument, Command, CommanderError, Option } from "commander"
import { queryOf } from "./arguments.ts"
import type { Context } from "./context.ts"
import type { Outcome } from "./outcome.ts"
import { nearest } from "../text/nearest.ts"
import { shownValue } from "../text/printable.ts"

// What the command line takes, in one place: help and shell completion are made from it. The code of a command is
// loaded when it is called.

/** Calls a command with a context made from the options that every command has. */
export type Run = (command: (context: Context) => Promise<Outcome>) => Promise<void>

export type GlobalOptions = { readonly dataDir?: string; readonly color?: string | true }

export function makeProgram(version: () => string, run: Run): Command {
  const program = new Command("baton")
  program
    .description(
      "Finds and reads what was said and done in OpenCode sessions. Without a command: search as you type.",
    )
    .option("-V, --version", "print the version")
    .on("option:version", () => {
      program.configureOutput().writeOut?.(`${version()}\n`)
      throw new CommanderError(0, "commander.version", "")
    })
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .addOption(
      new Option("--data-dir <folder>", "OpenCode's data folder, where the index is").env("BATON_DATA_DIR"),
    )
    .addOption(new Option("--color [when]", "colours").choices(["auto", "always", "never"]).preset("always"))
    .showSuggestionAfterError(true)
    .exitOverride()
  program.action(() =>
    run(async (context) => (await import("./commands/interactive.ts")).interactive(context, "")),
  )

  program
    .command("search")
    .description("search messages; with a flag sessions, projects or file edits")
    .argument("[query...]", "words (all must occur), '\"a phrase\"', -excluded, path:src/a.ts, project:all")
    .option("--sessions", "list sessions, without message text")
    .option("--projects", "list the projects of matching sessions")
    .option("--edits", "list file edits of matching sessions")
    .addOption(
      new Option("--role <who>", "whose messages the words must be in").choices(["user", "assistant"]),
    )
    .option(
      "--date <when>",
      'today, yesterday, "last 7 days", 2026-03, "2026-03-01 to 2026-03-31", "since 2026-03-01"',
    )
    .option("--limit <count>", "most results")
    .addOption(new Option("--sort <order>", "order of the results").choices(["newest", "relevance"]))
    .option("--include <kinds>", "also subagents, archived, reverted (commas between)")
    .option("--project <which>", "all, an id, or a folder; default: the project one stands in")
    .option("--json", "one JSON document")
    .addHelpText(
      "after",
      example(
        ["baton search token refresh", "sessions in which both words occur"],
        [`baton search '"token refresh"' -revert`, "the phrase, without sessions that say revert"],
        ["baton search --sessions --project all --date 'last 7 days'", "this week, everywhere"],
        ["baton search --edits path:src/auth.ts", "who changed a file"],
        ["baton search login --json | jq -r '.sessions[].sessionID'", "ids for a script"],
      ),
    )
    .action((words: string[], options: object) =>
      run(async (context) => (await import("./commands/search.ts")).search(context, queryOf(words), options)),
    )

  program
    .command("read")
    .description("print a conversation as Markdown, from either end or around a message")
    .argument("<session>", "session id")
    .argument("[message]", "message id: what stands around it")
    .addOption(new Option("--from <end>", "which end to begin at").choices(["start", "end"]))
    .option("--limit <count>", "messages (default 20)")
    .option("--before <count>", "messages before [message] (default 5)")
    .option("--after <count>", "messages after [message] (default 5)")
    .option("--cursor <message>", "go on after this message, or before it with --from end")
    .option("--all", "the whole conversation")
    .addOption(new Option("--role <who>", "only their messages").choices(["user", "assistant"]))
    .option("--tools", "what tools were given and what they answered")
    .option("--reasoning", "what the model thought")
    .option("--no-pager", "never page")
    .option("--json", "one JSON document")
    .addHelpText(
      "after",
      example(
        ["baton read ses_x", "its first 20 messages"],
        ["baton read ses_x --from end --limit 5", "how it ended"],
        ["baton read ses_x msg_y --tools", "around a hit, tools included"],
      ),
    )
    .action((session: string, message: string | undefined, options: object) =>
      run(async (context) => (await import("./commands/read.ts")).read(context, session, message, options)),
    )

  program
    .command("edits")
    .description("who changed a file, when, and the prompt behind it; follows moves")
    .argument("<path>", "file, or folder with a slash at its end")
    .option("--diff", "what was changed, where the history holds it")
    .option("--date <when>", "as in search")
    .option("--limit <count>", "most edits (default 50)")
    .option("--project <which>", "as in search")
    .option("--json", "one JSON document")
    .addHelpText("after", example(["baton edits src/auth.ts --diff", "the file's history, with diffs"]))
    .action((path: string, options: object) =>
      run(async (context) => (await import("./commands/edits.ts")).edits(context, path, options)),
    )

  program
    .command("lineage")
    .description("handoffs, forks and subagents as a tree")
    .argument("[session]", "session id; default: every chain of the project one stands in")
    .option("--limit <count>", "most chains (default 20)")
    .option("--project <which>", "as in search")
    .option("--json", "one JSON document")
    .addHelpText("after", example(["baton lineage ses_x", "where its work came from and went"]))
    .action((session: string | undefined, options: object) =>
      run(async (context) => (await import("./commands/lineage.ts")).lineage(context, session, options)),
    )

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
    .addHelpText("after", example(["baton export ses_x --output session.html", "a page to keep or to print"]))
    .action((session: string, options: object) =>
      run(async (context) => (await import("./commands/export.ts")).exportSession(context, session, options)),
    )

  program
    .command("status")
    .description("where the index is, what it holds, and what needs attention")
    .option("--json", "one JSON document")
    .action((options: object) =>
      run(async (context) => (await import("./commands/status.ts")).status(context, options)),
    )

  program
    .command("index")
    .description("bring the index up to date from OpenCode")
    .option("--rebuild", "fetch everything anew; what was forgotten stays forgotten")
    .option("--url <address>", "a running OpenCode server; default: one is started and ended")
    .addOption(
      new Option("--password <word>", "of that server").env("OPENCODE_SERVER_PASSWORD").hideHelp(false),
    )
    .addOption(new Option("--opencode <program>", "the OpenCode to start").env("BATON_OPENCODE"))
    .addHelpText(
      "after",
      example(["baton index", "what happened since the last time; Ctrl-C stops, the rest comes next time"]),
    )
    .action((options: object) =>
      run(async (context) => (await import("./commands/index.ts")).index(context, options)),
    )

  program
    .command("forget")
    .description("remove a session, a project or everything before a date from the index, for good")
    .argument("[what]", "session id, project id or folder")
    .option("--before <date>", "everything before a day, like 2026-01-31")
    .option("--yes", "do not ask")
    .addHelpText(
      "after",
      example(
        ["baton forget ses_x", "one session"],
        ["baton forget ~/work/secret --yes", "the projects of a folder"],
        ["baton forget --before 2026-01-01", "everything older"],
      ),
    )
    .action((what: string | undefined, options: object) =>
      run(async (context) => (await import("./commands/forget.ts")).forget(context, what, options)),
    )

  for (const [name, description] of [
    ["install", "add the plugin to OpenCode's config"],
    ["uninstall", "take the plugin out of OpenCode's config"],
  ] as const) {
    program
      .command(name)
      .description(`${description}, comments and layout kept; a copy of the old file stays beside it`)
      .option("--v1", "OpenCode 1: opencode.json and tui.json (default)")
      .option("--v2", "OpenCode 2: `plugins` of opencode.json")
      .option("--project", "this project's config in place of the user's")
      .option("--dry-run", "show the change, write nothing")
      .option("--yes", "do not ask")
      .addHelpText(
        "after",
        example(
          [`baton ${name} --dry-run`, "what would be changed"],
          [`baton ${name} --project`, "for this project only"],
        ),
      )
      .action((options: object) =>
        run(async (context) => (await import("./commands/install.ts"))[name](context, options)),
      )
  }

  program
    .command("doctor")
    .description("look for what keeps baton from working; each finding with its remedy")
    .addOption(new Option("--opencode <program>", "the OpenCode to ask").env("BATON_OPENCODE"))
    .option("--json", "one JSON document")
    .action((options: object) =>
      run(async (context) => (await import("./commands/doctor.ts")).doctor(context, options)),
    )

  program
    .command("completion")
    .description("print the completion script of a shell")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      example(
        ['eval "$(baton completion bash)"', "in ~/.bashrc"],
        ["baton completion zsh > ~/.zfunc/_baton", "in a folder of fpath"],
        ["baton completion fish > ~/.config/fish/completions/baton.fish", ""],
      ),
    )
    .action((shell: "bash" | "zsh" | "fish") =>
      run(async (context) =>
        (await import("./commands/completion.ts")).completion(context, shell, makeProgram(version, run)),
      ),
    )

  for (const command of program.commands) command.exitOverride().showHelpAfterError(false)
  return program
}

function example(...rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([line, meaning]) => `  ${line}${meaning === "" ? "" : `\n      ${meaning}`}`)
  return `\nExamples:\n${lines.join("\n")}`
}

/** What the parser refused, as one line with the way to the help; undefined when it was only asked for help. */
export function refusal(
  error: CommanderError,
  program: Command,
  args: readonly string[],
): string | undefined {
  if (error.exitCode === 0) return undefined
  const names = program.commands.map((command) => command.name())
  const command = names.find((name) => args.includes(name))
  const [first] = program.args
  if (command === undefined && first !== undefined) {
    const close = nearest(first, names)
    return `there is no command ${shownValue(first)}${close === undefined ? "" : `, did you mean ${close}?`}; see baton --help`
  }
  const reason = error.message
    .replace(/^error: /, "")
    .replaceAll(/\s*\n\s*/g, " ")
    .replace(/\.$/, "")
  return `${reason}; see baton ${command === undefined ? "" : `${command} `}--help`
}
