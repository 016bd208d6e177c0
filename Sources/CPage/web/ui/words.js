// Error messages for the user, with the next step.

/// Messages by error code of the control protocol.
const CODES = {
  passwordNeeded: "This session has a password.",
  passwordWrong: "That is not the password. Try again.",
  passwordInvalid: "A password has at most 10 characters: letters, digits, ordinary signs.",
  connectFailed: "The relay cannot be reached. Check your network and try again.",
  notConnected: "The connection is lost. Try again when it is back.",
  invalidSessionName: "A session's name has 1 to 150 characters.",
  tokenMissing: "This relay needs a token. Paste yours above.",
  tokenMalformed: "This is not a complete token. Copy all of it, and paste it again.",
  tokenExpired: "This token has expired. Ask for a new one.",
  tokenNotYetValid: "This token is not valid yet. Try again later, or ask for a new one.",
  tokenBadSignature: "This relay does not accept the token. Ask for a new one.",
  tokenAlgorithm: "This relay does not accept the token. Ask for a new one.",
  tokenTopicMismatch: "This token is for another session. Check the session's name.",
  tokenRevoked: "You were removed from this session; this token is no longer valid.",
  notPermitted: "You are not permitted to do that.",
  recordingDisabled: "This relay records nothing: it was started without recording.directory.",
  encryptionRequired: "This session requires end-to-end encryption. Join again with its passphrase, under More options.",
  shareLocked: "Sharing is locked: only the host and managers can share a screen.",
};

/// Messages by name of a browser's exception (Media Capture and Streams, section 10.2).
const EXCEPTIONS = {
  NotFoundError: "No such device was found. Connect one, or use the test video.",
  NotAllowedError: "The browser did not give access. Allow it in the address bar, then try again.",
  SecurityError: "The browser did not give access. Allow it in the address bar, then try again.",
  NotReadableError: "The device is in use by another program, or does not work. Close that program, then try again.",
  OverconstrainedError: "The device cannot do what is needed. Choose another one.",
};

/// Returns the usual name of a codec of the control protocol.
export const codecName = codec => codec === "H264" ? "H.264" : codec ?? "unknown codec";

/// Returns the message of an error for the user.
export function explained(error) {
  const text = CODES[error.code] ?? EXCEPTIONS[error.name] ?? (error.message || String(error));
  return error.retryAfter ? `${text} Try again in ${error.retryAfter} s.` : text;
}
