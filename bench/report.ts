import type { SubjectFigures, TruthFigures } from "./figures.ts"
import { CLASSES } from "./queries.ts"
export function report(corpus: TruthFigures, subjects: ReadonlyMap<string, SubjectFigures>) {
  const lines: string[] = []
  let wrong = 0
  lines.push(
    `${corpus.messages} messages, ${corpus.sessions} sessions, ${(corpus.textBytes / 1e6).toFixed(1)} MB text`,
  )
  for (const [name, f] of subjects) {
    if (f.build)
      lines.push(
        `${name} build ${(f.build.wallMs / 1e3).toFixed(2)} s, CPU ${(f.build.cpuMs / 1e3).toFixed(2)} s, ${((corpus.messages / f.build.wallMs) * 1e3).toFixed(0)} msg/s, ${(corpus.textBytes / f.build.wallMs / 1e3).toFixed(1)} MB/s, size ${((f.bytes ?? 0) / corpus.textBytes).toFixed(2)} x, block ${f.build.longestBlockMs.toFixed(1)} ms, peak ${(f.build.peakBytes / 1e6).toFixed(0)} MB; search block ${f.search?.longestBlockMs.toFixed(1)} peak ${((f.search?.peakBytes ?? 0) / 1e6).toFixed(0)} MB`,
      )
  }
  for (const kind of CLASSES) {
    const cells = [...subjects].map(([name, f]) => {
      const qs = f.search?.queries.filter((q) => q.class === kind) ?? []
      const s = qs.flatMap((q) => q.samples).sort((a, b) => a - b)
      return s.length
        ? `${name} ${s[Math.floor(s.length / 2)]?.toFixed(2)}/${s[Math.floor(s.length * 0.95)]?.toFixed(2)}`
        : `${name} -`
    })
    lines.push(`${kind.padEnd(26)} ${cells.join("  ")}`)
  }
  for (const [name, f] of subjects)
    for (const q of f.search?.queries ?? [])
      if (q.verdict === "wrong" || q.verdict === "incomplete") {
        if (q.verdict === "wrong") wrong++
        lines.push(`${q.verdict}: ${name} ${q.id}`)
      }
  return { table: lines.join("\n") + "\n", wrong }
}
