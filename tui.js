export { default } from "./dist/terminal.js"
