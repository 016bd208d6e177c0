import Signaling

extension SignalingError {
    /// Error for keys that are sent or requested over a connection that is not confidential.
    static let readableKeys = SignalingError(
        .insecureConnection, "media keys need TLS or a client on the relay's host")
}
