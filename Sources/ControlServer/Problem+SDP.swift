import SDP

extension Problem {
    /// The answer for a description: 400 where it is none, 422 where it is one that cannot be agreed to.
    init(_ error: SDPError) {
        self.init(error.isMalformed ? .invalidSDP : .unusableSDP, error.description)
    }
}
