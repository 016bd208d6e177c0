import NIOCore
import SDP

/// What a client says of its ICE session by `PATCH` (RFC 8840 section 9), and the relay's word for a restart.
struct ClientFragment {
    private let fragment: TrickleFragment

    init(_ body: ByteBuffer) throws(Problem) {
        do throws(SDPError) {
            fragment = try TrickleFragment(parsing: body.readableBytesView)
        } catch {
            throw Problem(error)
        }
    }

    /// The client's; nil where it names none.
    var credentials: ICECredentials? { fragment.credentials }

    /// The answer to a restart, for the same section as the client's; all candidates are there at once.
    func answer(_ credentials: ICECredentials, candidates: [ICECandidate]) -> String {
        let sections = fragment.sections.prefix(1).map { section in
            TrickleFragment.Section(
                mid: section.mid, kind: section.kind, candidates: candidates, endOfCandidates: true)
        }
        // As the answer had them, which took them from the offer (RFC 9725 section 4.3.3).
        let options = ["trickle", "ice2"].filter(fragment.options.contains)
        return TrickleFragment(
            credentials: credentials, isLite: true, options: options, sections: sections,
            endOfCandidates: sections.isEmpty
        ).text
    }
}
