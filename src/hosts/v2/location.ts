// The host starts a plugin once for each location, in one process. A second copy for the same location (the
// package configured twice) would register everything twice, so it stands by and says so.

type Cleanup = () => Promise<void>

type Place = { active: symbol; readonly standby: Map<symbol, () => void> }

/**
 * Starts the instance, or keeps it in reserve while another one serves the location: it takes over when that one
 * ends. Returns the cleanup. Without a location every instance runs.
 */
export function onePerLocation(key: string, start: () => Cleanup, say: (message: string) => void): Cleanup {
  if (key === "") return start()
  const places = processPlaces()
  const own = Symbol(key)
  const found = places.get(key)
  if (found === undefined) {
    const place: Place = { active: own, standby: new Map() }
    places.set(key, place)
    try {
      const end = start()
      return () => leave(place, end)
    } catch (error) {
      places.delete(key)
      throw error
    }
  }

  let end: Cleanup | undefined
  found.standby.set(own, () => {
    end = start()
  })
  say(`it runs in ${key} already; this second copy does nothing. Configure the plugin once.`)
  return async () => {
    if (found.standby.delete(own)) return
    if (end !== undefined) await leave(found, end)
  }

  async function leave(place: Place, end: Cleanup): Promise<void> {
    if (place.active !== own) return
    const next = [...place.standby].at(0)
    if (next === undefined) {
      places.delete(key)
      place.active = Symbol("none")
    } else {
      place.standby.delete(next[0])
      place.active = next[0]
    }
    await end()
    next?.[1]()
  }
}

declare global {
  /** Shared with other copies of this module in the process; the number is the form of `Place`. */
  var opencodeBatonPlaces1: Map<string, Place> | undefined
}

function processPlaces(): Map<string, Place> {
  globalThis.opencodeBatonPlaces1 ??= new Map()
  return globalThis.opencodeBatonPlaces1
}
