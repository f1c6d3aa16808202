import { excluder } from "../../../src/history/sync/exclude.ts"
import { joinSync } from "../../../src/history/sync/hub.ts"
import { memoryHistory } from "./memory-history.ts"
import { memoryHost } from "./memory-host.ts"

// A program with a sync that is still at work, listing, retrying and following: it ends by itself all the same.

const host = memoryHost()
for (let index = 0; index < 3; index += 1) host.add(`ses_${index}`, 2)
host.faults.failing.add("ses_1")
const member = joinSync({
  key: "unfinished",
  open: memoryHistory,
  feed: host.feed,
  excluded: excluder([]),
  log: () => undefined,
})
member.touch()
host.say("ses_2", "news", Date.now())
