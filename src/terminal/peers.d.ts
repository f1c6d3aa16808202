// The terminal's own libraries, as far as this plugin touches them. `@opencode-ai/plugin/tui` names them in its
// types and they are no dependency of ours: they run inside the host.

declare module "@opentui/solid" {
  export namespace JSX {
    /** Opaque: made by the host's components, handed back to the host. */
    type Element = object | null
  }
  export type SolidPlugin<Slots, Context> = {
    readonly id: string
    readonly slots: {
      readonly [Name in keyof Slots]?: (context: Context, props: Slots[Name]) => JSX.Element
    }
  }
}

declare module "@opentui/keymap" {
  export type Keymap<_Renderable, _Event> = {
    /** Runs a command by its dotted name; an unknown or disabled one does nothing. */
    dispatchCommand(name: string): unknown
  }
}
