#!/usr/bin/env node
// The published command starts here, and so do `npm start` and `npm test` (with --check-node). Plain old JavaScript: a
// Node of any age must get as far as the sentence below.
"use strict"
var running = process.versions.node
var parts = running.split(".")
if (Number(parts[0]) * 1000 + Number(parts[1]) < 22019) {
  console.error(
    "effect-txc needs Node 22.19 or newer, but this is Node " + running + " (" + process.execPath + "); " +
      "its repository brings a Node of its own: run `npm ci` there with install scripts allowed."
  )
  process.exit(1)
}
if (process.argv[2] !== "--check-node") require("./main.js")
