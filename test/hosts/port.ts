import { createServer, type Server } from "node:net"

// Loopback ports, chosen by the system.

/** Listens on 127.0.0.1 and returns the port. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") reject(new Error(`no port: ${String(address)}`))
      else resolve(address.port)
    })
  })
}

/** A port that was free a moment ago, for a program that must be told one. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}
