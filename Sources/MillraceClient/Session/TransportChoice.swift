/// How a session's media goes to the relay and comes from it.
public enum TransportChoice: Hashable, Sendable {
    /// Native where the relay takes it, else as browsers do.
    case automatic
    /// With keys in the offers and answers of the control connection: no handshakes. Publishing and subscribing fail with
    /// `insecureConnection` where that connection is neither encrypted nor within one host.
    case native
    /// As browsers do, with DTLS.
    case webRTC
}
