// The checker's build of plain JavaScript has no types of its own.
declare module "recheck/lib/browser.js" {
  export { checkSync } from "recheck"
}
