extension UnsafeMutablePointer {
    /// Moves the first `count` elements to memory for `capacity` elements, and frees the old memory. Pointers to elements become invalid.
    package mutating func grow(to capacity: Int, moving count: Int) {
        let grown = Self.allocate(capacity: capacity)
        grown.moveInitialize(from: self, count: count)
        deallocate()
        self = grown
    }
}
