/// One packet that a peer's feedback tells of for the first time.
struct Acknowledgement {
    /// Unwrapped transport-wide sequence number.
    let sequence: Int64
    /// Microseconds of the relay's clock.
    let sent: Int64
    /// Microseconds of the peer's clock, whose start is arbitrary.
    let arrival: Int64
    let bytes: Int
    /// 0: none.
    let probe: UInt16
}
