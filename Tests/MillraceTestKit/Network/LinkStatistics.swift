/// Outcomes of the datagrams of one link.
package struct LinkStatistics: Hashable, Sendable {
    /// Datagrams that entered the link.
    package var sent = 0
    package var sentBytes = 0
    /// Lost at random.
    package var lost = 0
    /// Dropped because the queue was full.
    package var overflowed = 0
    /// Dropped because of their size.
    package var oversized = 0
    package var duplicated = 0
    /// Held back.
    package var heldBack = 0
    /// Copies that come out, duplicates counted, and their bytes.
    package var delivered = 0
    package var deliveredBytes = 0

    package init() {}
}
