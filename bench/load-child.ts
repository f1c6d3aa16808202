import { startPlugin } from "./plugin.ts"

// Loads one plugin, writes how long that took, and ends.

const [file, dataDir] = process.argv.slice(2)
if (file === undefined || dataDir === undefined)
  throw new Error("A plugin file and a data folder are needed.")
const { load } = await startPlugin(file, dataDir)
process.stdout.write(JSON.stringify(load), () => process.exit(0))
