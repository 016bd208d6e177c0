import Recording

/// Result for one file in `millrace decode --json`.
struct DecodeOutcome: Encodable {
    var file: String
    var report: DecodeReport?
    /// Set with --md5.
    var fingerprints: [String]?
    /// Error if the file could not be decoded at all.
    var error: String?

    init(file: String) { self.file = file }

    var isFine: Bool { error == nil && report?.isDamaged == false }
    /// True if a relay still writes the file and nothing is wrong with it so far.
    var isBeingWritten: Bool { isFine && report?.isBeingWritten == true }
}
