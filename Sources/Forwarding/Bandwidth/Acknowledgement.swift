/// Packet that a peer's feedback acknowledges for the first time.
struct Acknowledgement {
    /// Unwrapped transport-wide sequence number.
    let sequence: Int64
    /// Send time in microseconds of the relay's clock.
    let sent: Int64
    /// Arrival time in microseconds of the peer's clock, whose origin is arbitrary.
    let arrival: Int64
    let bytes: Int
    /// Number of the probe that it belongs to; 0 if none.
    let probe: UInt16
}
