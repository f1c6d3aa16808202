// Dates in answers: the local calendar and clock, the zone named once an answer.

/** Local times of one answer. */
export type Clock = {
  /** `2026-11-30 14:05` */
  time(ms: number): string
  /** The zone's IANA name. */
  readonly zone: string
}

/** The clock of a zone; the process's own without a name. Making one costs nothing. */
export function clockOf(timeZone: string | undefined): Clock {
  if (timeZone === undefined) return ownClock
  const time = (ms: number) =>
    formatter(timeZone).format(new Date(ms)).replace(",", "").replace(" 24:", " 00:")
  return { time, zone: timeZone }
}

/** Without Intl as far as it goes: its first use costs Node 12 ms, a tenth of a search at a terminal. */
const ownClock: Clock = {
  time: (ms) => {
    const at = new Date(ms)
    const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join("-")
    return `${day} ${[at.getHours(), at.getMinutes()].map(twoDigits).join(":")}`
  },
  get zone() {
    return Intl.DateTimeFormat().resolvedOptions().timeZone
  },
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0")
}

/** When the messages of an answer were written, zone included; nothing without messages. */
export function datesField(
  messages: readonly { readonly created: number }[],
  timeZone: string | undefined,
): { readonly dates?: string } {
  const [first, last] = [messages[0], messages.at(-1)]
  if (first === undefined || last === undefined) return {}
  const clock = clockOf(timeZone)
  return { dates: `${clock.time(first.created)} to ${clock.time(last.created)} ${clock.zone}` }
}

const formatters = new Map<string, Intl.DateTimeFormat>()

// Swedish writes dates as ISO 8601 does. Building a formatter costs a hundred times more than using it.
function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  })
  formatters.set(zone, made)
  return made
}
