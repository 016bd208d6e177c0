import MediaBase

/// Names of a recording's files: one folder per session, one file per stream and start. Session and stream names come
/// from the network, so they are escaped: no name can leave the folder, hide the file, or have a meaning for a shell.
package enum RecordingFileName {
    private static let maximumLength = 80

    /// Returns a safe file name. Letters, digits, `-`, `_` and inner dots stay; any other byte becomes `%` and two
    /// hexadecimal digits, so that different names stay different. Longer names are cut and get a hash of the whole
    /// name.
    package static func safe(_ name: String) -> String {
        let bytes = Array(name.utf8)
        var text = ""
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                text.append(Character(UnicodeScalar(byte)))
            case UInt8(ascii: "-") where index > 0, UInt8(ascii: ".") where index > 0:
                text.append(Character(UnicodeScalar(byte)))
            default:
                text += "%" + hex(UInt64(byte), digits: 2)
            }
        }
        if text.isEmpty { return "%" }
        if text.utf8.count > maximumLength {
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            text = String(text.prefix(maximumLength - 17)) + "~" + hex(hash, digits: 16)
        }
        return text
    }

    /// Returns `<stream>-<UTC start>[-n].webm`, such as `cam1-20260801T120000.250Z.webm`.
    package static func file(
        stream: String, startedAt unixNanoseconds: Int64, attempt: Int = 0, suffix: String = "webm"
    ) -> String {
        let number = attempt == 0 ? "" : "-\(attempt + 1)"
        return "\(safe(stream))-\(UTCTime(unixNanoseconds: unixNanoseconds).basic)\(number).\(suffix)"
    }

    /// Returns the suffix of files with video of a codec: `mkv` for H.264, which WebM does not have.
    static func suffix(of codec: VideoCodec?) -> String {
        codec == .h264 ? "mkv" : "webm"
    }

    private static func hex(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
