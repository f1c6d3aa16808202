import type { Context } from "../context.ts"
import { configFindings } from "../doctor/config.ts"
import { fileFindings } from "../doctor/files.ts"
import type { Finding } from "../doctor/finding.ts"
import { hostFinding, serviceFindings } from "../doctor/host.ts"
import { indexFindings, sqliteFinding } from "../doctor/index.ts"
import { wrapLines } from "../layout.ts"
import type { Outcome } from "../outcome.ts"
import { writeJson } from "../view/json.ts"

// `baton doctor`: everything that is known to keep the plugin or the command from working.

export type DoctorOptions = { readonly opencode?: string | undefined; readonly json?: boolean | undefined }

export async function doctor(context: Context, options: DoctorOptions): Promise<Outcome> {
  const findings = [
    await hostFinding(options.opencode || "opencode", context),
    ...(await serviceFindings(context)),
    ...configFindings(context),
    await sqliteFinding(),
    ...fileFindings(context),
    ...(await indexFindings(context)),
  ]
  const bad = findings.filter((finding) => finding.level !== "ok").length
  if (options.json === true)
    await writeJson(context.output, {
      kind: "doctor",
      findings: findings.map((finding) => ({ ...finding, remedy: finding.remedy ?? null })),
    })
  else await write(context, findings)
  return { code: bad === 0 ? 0 : 1 }
}

async function write(context: Context, findings: readonly Finding[]): Promise<void> {
  const { paint, textColumns } = context.output
  const marks = { ok: "ok       ", warning: "warning  ", error: "error    " }
  await context.output.lines(
    findings.flatMap((finding) => {
      const [first = "", ...rest] = wrapLines(
        `${finding.about}: ${finding.text}`,
        textColumns - INDENT.length,
      )
      const mark = finding.level === "ok" ? paint.faint(marks.ok) : paint.warning(marks[finding.level])
      const remedy =
        finding.remedy === undefined ? [] : wrapLines(`-> ${finding.remedy}`, textColumns, INDENT)
      return [mark + first, ...rest.map((line) => INDENT + line), ...remedy]
    }),
  )
}

const INDENT = " ".repeat(9)
