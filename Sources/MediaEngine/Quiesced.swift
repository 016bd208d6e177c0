/// Proof that no packet is pending in any router. Only sending all pending packets makes it. Functions that change paths, consumers or producers
/// take it, so that the compiler rejects a call that could leave a pending packet with a stale path or producer.
struct Quiesced: ~Copyable {
    init(flushing egress: Egress) { egress.forwardAll() }
}
