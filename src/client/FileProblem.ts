/** Explains why a file or folder can't be used. */
import type { PlatformError } from "effect/PlatformError"

const words: Readonly<Record<string, string>> = {
  EACCES: "this user has no permission",
  EEXIST: "it already exists",
  EISDIR: "it is a folder",
  ENOENT: "there is no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is not a folder",
  EPERM: "this user has no permission",
  EROFS: "the file system is read-only"
}

/** The reason for a file system error, as a phrase. */
export const of = ({ reason }: PlatformError): string => {
  const { cause } = reason
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : reason._tag
  return words[code] ?? code
}
