/// Number of compositions by state.
package struct CompositionCounts: Sendable {
    /// Sessions that wait or are being composed.
    package var open = 0
    package var composed: UInt64 = 0
    package var failed: UInt64 = 0

    package init() {}
}
