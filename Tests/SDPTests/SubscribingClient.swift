import MediaBase
import SDP

/// A client that answers the relay's offers and accepts everything except what a test excludes.
struct SubscribingClient {
    var fragment = "clnt"
    var password = "client-password-of-24-chr".filter(\.isLetter) + "0123456789"
    var fingerprint =
        "sha-256 " + (0..<32).map { _ in "AB" }.joined(separator: ":")
    var setup = "active"
    /// Sections that are answered with port 0.
    var rejects: Set<String> = []
    /// Sections that are answered as inactive.
    var ignores: Set<String> = []
    /// Payload types that are accepted; nil: all.
    var payloadTypes: Set<String>?
    /// Lines that contain one of these texts are left out.
    var drops: [String] = []

    func answer(_ offer: String) throws -> String {
        let description = try SessionDescription(parsing: Array(offer.utf8), limits: .subscription)
        let mids = description.media.filter { !$0.isRejected }.compactMap(\.mid).filter { !rejects.contains($0) }
        var text = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"
        if !mids.isEmpty { text += "a=group:BUNDLE " + mids.joined(separator: " ") + "\r\n" }
        for section in description.media {
            let isRejected = section.isRejected || rejects.contains(section.mid ?? "")
            let formats = section.formats.filter { payloadTypes?.contains($0) ?? true }.joined(separator: " ")
            text += "m=\(section.media) \(isRejected ? 0 : 9) \(section.proto) \(formats)\r\nc=IN IP4 0.0.0.0\r\n"
            for line in section.lines where line.type == UInt8(ascii: "a") {
                guard !drops.contains(where: { line.text.contains($0) }) else { continue }
                switch line.name {
                case "candidate", "end-of-candidates", "msid", "ssrc", "ssrc-group": continue
                case "rtpmap", "fmtp", "rtcp-fb":
                    let payloadType = (line.value ?? "").split(separator: " ").first.map(String.init) ?? ""
                    if payloadTypes?.contains(payloadType) ?? true { text += line.text + "\r\n" }
                case "ice-ufrag": text += "a=ice-ufrag:\(fragment)\r\n"
                case "ice-pwd": text += "a=ice-pwd:\(password)\r\n"
                case "fingerprint": text += "a=fingerprint:\(fingerprint)\r\n"
                case "setup": text += "a=setup:\(setup)\r\n"
                case "sendonly":
                    text += ignores.contains(section.mid ?? "") || isRejected ? "a=inactive\r\n" : "a=recvonly\r\n"
                default: text += line.text + "\r\n"
                }
            }
        }
        return text
    }
}
