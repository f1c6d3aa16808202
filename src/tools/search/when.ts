// Dates in answers: the local calendar and clock, the zone named once an answer.

/** Local times of one answer. */
export type Clock = {
  /** `2026-11-30 14:05` */
  time(ms: number): string
  /** The zone's IANA name. */
  readonly zone: string
}

/** The clock of a zone; the process's own without a name. */
export function clockOf(timeZone: string | undefined): Clock {
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const time = (ms: number) => formatter(zone).format(new Date(ms)).replace(",", "").replace(" 24:", " 00:")
  return { time, zone }
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
