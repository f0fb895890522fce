#!/usr/bin/env node
// The published command, `npm start` and `npm test` (with --check-node) start here. This file uses only old JavaScript,
// so that even an old Node can run it and print the message below.
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
// Node's compile cache is not used, although it would save a tenth of the start time. By default the cache is in the
// shared temporary folder, and the user who creates its folder first decides which code the next user runs.
if (!isCheck) require("./main.js")
