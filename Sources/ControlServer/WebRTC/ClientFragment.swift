import NIOCore
import SDP

/// ICE fragment in a client's `PATCH` (RFC 8840 section 9), and the relay's answer to a restart.
struct ClientFragment {
    private let fragment: TrickleFragment

    init(_ body: ByteBuffer) throws(Problem) {
        do throws(SDPError) {
            fragment = try TrickleFragment(parsing: body.readableBytesView)
        } catch {
            throw Problem(error)
        }
    }

    /// Credentials of the client; nil if the fragment has none.
    var credentials: ICECredentials? { fragment.credentials }

    /// Returns the answer to a restart, for the client's media section, with all candidates at once.
    func answer(_ credentials: ICECredentials, candidates: [ICECandidate]) -> String {
        let sections = fragment.sections.prefix(1).map { section in
            TrickleFragment.Section(
                mid: section.mid, kind: section.kind, candidates: candidates, endOfCandidates: true)
        }
        // The same options as in the SDP answer, which took them from the offer (RFC 9725 section 4.3.3).
        let options = ["trickle", "ice2"].filter(fragment.options.contains)
        return TrickleFragment(
            credentials: credentials, isLite: true, options: options, sections: sections,
            endOfCandidates: sections.isEmpty
        ).text
    }
}
