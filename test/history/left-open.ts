import { openHistory } from "../../src/history/index.ts"

// A program that forgets to close the index: it must end by itself once its answer is there.

const history = openHistory({ dataDir: process.argv[2] ?? "", maskSecrets: true })
const status = await history.status()
console.log(status.ok ? "answered" : status.fault.message)
