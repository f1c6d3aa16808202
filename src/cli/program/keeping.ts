import { Argument, type Command, Option } from "commander"
import { reading } from "../index-file.ts"
import { addressOption, examples, type Run } from "./pieces.ts"

// The commands that keep the index and the configuration well.

export function addKeeping(program: Command, run: Run): void {
  addStatus(program, reading(run))
  addIndex(program, run)
  addForget(program, reading(run))
  addInstall(program, run, "install", "add the plugin to OpenCode's config")
  addInstall(program, run, "uninstall", "take the plugin out of OpenCode's config")
  addDoctor(program, run)
}

function addStatus(program: Command, run: Run): void {
  program
    .command("status")
    .description("where the index is, what it holds, and what needs attention")
    .option("--json", "one JSON document")
    .action((options: object) =>
      run(async (context) => (await import("../commands/status.ts")).status(context, options)),
    )
}

function addIndex(program: Command, run: Run): void {
  program
    .command("index")
    .description("bring the index up to date from OpenCode")
    .option("--rebuild", "fetch everything anew; what was forgotten stays forgotten")
    .addOption(
      addressOption("--url <address>", "a running OpenCode server; default: one is started and ended"),
    )
    .addOption(new Option("--password <word>", "of that server").env("OPENCODE_SERVER_PASSWORD"))
    .addOption(new Option("--opencode <program>", "the OpenCode to start").env("BATON_OPENCODE"))
    .addHelpText("after", examples(["baton index", "what is new; after Ctrl-C the next run goes on"]))
    .action((options: object) =>
      run(async (context) => (await import("../commands/index.ts")).index(context, options)),
    )
}

function addForget(program: Command, run: Run): void {
  program
    .command("forget")
    .description("remove a session, a project or everything before a date from the index, for good")
    .argument("[what]", "session id, project id or folder")
    .option("--before <date>", "everything before a day, like 2026-01-31")
    .option("--yes", "do not ask")
    .addHelpText(
      "after",
      examples(
        ["baton forget ses_x", "one session with its subagents"],
        ["baton forget ~/work/secret --yes", "the projects of a folder"],
        ["baton forget --before 2026-01-01", "everything older"],
      ),
    )
    .action((what: string | undefined, options: object) =>
      run(async (context) => (await import("../commands/forget.ts")).forget(context, what, options)),
    )
}

function addInstall(program: Command, run: Run, name: "install" | "uninstall", description: string): void {
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
      examples(
        [`baton ${name} --dry-run`, "what would be changed"],
        [`baton ${name} --project`, "for this project only"],
      ),
    )
    .action((options: object) =>
      run(async (context) => (await import("../commands/install.ts"))[name](context, options)),
    )
}

function addDoctor(program: Command, run: Run): void {
  program
    .command("doctor")
    .description("look for what keeps baton from working; each finding with its remedy")
    .addOption(new Option("--opencode <program>", "the OpenCode to ask").env("BATON_OPENCODE"))
    .option("--json", "one JSON document")
    .action((options: object) =>
      run(async (context) => (await import("../commands/doctor.ts")).doctor(context, options)),
    )
}

export function addMcp(program: Command, run: Run, version: () => string): void {
  program
    .command("mcp")
    .description("serve search and reading to other agents and editors, over standard input and output (MCP)")
    .addHelpText(
      "after",
      examples(['{ "command": "baton", "args": ["mcp"] }', "the entry in a client's configuration"]),
    )
    .action(() => run(async (context) => (await import("../commands/mcp.ts")).mcp(context, version())))
}

/** `whole` makes the program that is completed. */
export function addCompletion(program: Command, run: Run, whole: () => Command): void {
  program
    .command("completion")
    .description("print the completion script of a shell")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      examples(
        ['eval "$(baton completion bash)"', "in ~/.bashrc"],
        ["baton completion zsh > ~/.zfunc/_baton", "in a folder of fpath"],
        ["baton completion fish > ~/.config/fish/completions/baton.fish", ""],
      ),
    )
    .action((shell: "bash" | "zsh" | "fish") =>
      run(async (context) => (await import("../commands/completion.ts")).completion(context, shell, whole())),
    )
}
