import SDP

extension Problem {
    /// Creates the answer for an SDP error: 400 if the text is not a session description, 422 if the relay cannot accept it.
    init(_ error: SDPError) {
        self.init(error.isMalformed ? .invalidSDP : .unusableSDP, error.description)
    }
}
