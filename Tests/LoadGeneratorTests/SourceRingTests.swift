import Testing

@testable import LoadGenerator

@Suite("Latest items of a source") struct SourceRingTests {
    private struct Item: SourceItem {
        let number: Int64
        var ready: Int64 = 0
    }

    private let ring = SourceRing<Item>(capacity: 4)

    private func add(_ numbers: ClosedRange<Int64>) {
        for number in numbers { ring.add(Item(number: number)) }
    }

    @Test("A reader gets the item that it asks for, or the oldest stored one if it is gone")
    func latest() {
        #expect(ring.next == 0 && ring.item(0) == nil)
        add(0...9)
        #expect(ring.next == 10 && ring.item(10) == nil)
        #expect((0...9).map { ring.item($0)?.number } == [6, 6, 6, 6, 6, 6, 6, 7, 8, 9])
    }

    @Test("Items from before numbers that the source left out are not returned for them")
    func gap() {
        add(0...3)
        add(20...20)
        #expect(ring.item(4)?.number == 20)
        #expect(ring.item(19)?.number == 20 && ring.item(21) == nil)
        add(21...22)
        #expect(ring.item(4)?.number == 20)
    }
}
