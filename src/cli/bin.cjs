#!/usr/bin/env node
// The published command starts here, and so do `npm start` and `npm test` (with --check-node). Plain old JavaScript: a
// Node of any age must get as far as the sentence below.
"use strict"
var running = process.versions.node
var parts = running.split(".")
var isCheck = process.argv[2] === "--check-node"
if (Number(parts[0]) * 1000 + Number(parts[1]) < 22019) {
  console.error(
    "effect-txc needs Node 22.19 or newer, and this is Node " + running + " (" + process.execPath + ")\n" +
      (isCheck
        ? "The repository installs its own Node: run `npm ci`, with install scripts allowed"
        : "Run it with a newer one: npx -y node@24 " + __filename + (process.argv.length > 2 ? " ..." : ""))
  )
  process.exit(2)
}
// No compile cache: by default Node keeps it in the shared temporary folder, where whoever creates that folder first
// decides which code the next user runs. It would save a tenth of the start.
if (!isCheck) require("./main.js")
