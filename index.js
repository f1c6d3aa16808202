export { default } from "./dist/plugin.js"
