/// First-in first-out queue in one array. Removal from the front takes constant time.
struct RingQueue<Element> {
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var first: Element? { count == 0 ? nil : slots[head] }

    /// - Parameter index: position from the front, 0..<count.
    subscript(index: Int) -> Element? {
        index >= 0 && index < count ? slots[(head + index) % slots.count] : nil
    }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head + count) % slots.count] = element
        count += 1
    }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head]
        slots[head] = nil
        head = (head + 1) % slots.count
        count -= 1
        if count == 0 { head = 0 }
        return element
    }

    private mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(max(8, slots.count * 2))
        for index in 0..<count { larger.append(slots[(head + index) % slots.count]) }
        larger.append(contentsOf: repeatElement(nil, count: max(8, slots.count * 2) - count))
        slots = larger
        head = 0
    }
}

extension RingQueue: Sendable where Element: Sendable {}
