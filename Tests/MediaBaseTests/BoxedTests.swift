import MediaBase
import Testing

@Suite("Values in memory of their own") struct BoxedTests {
    private struct Holder {
        @Boxed var numbers: [Int]? = nil
    }

    @Test func aCopyIsIndependentOfItsOriginal() {
        var original = Holder(numbers: [1])
        let before = original
        original.numbers?.append(2)
        var copy = original
        copy.numbers?.append(3)
        #expect(before.numbers == [1])
        #expect(original.numbers == [1, 2])
        #expect(copy.numbers == [1, 2, 3])
        copy.numbers = nil
        #expect(copy.numbers == nil)
        #expect(original.numbers == [1, 2])
    }

    @Test func aValueCanBeRemovedAndSetAgain() {
        var holder = Holder()
        #expect(holder.numbers == nil)
        holder.numbers?.append(1)
        #expect(holder.numbers == nil)
        holder.numbers = [1]
        holder.numbers = nil
        #expect(holder.numbers == nil)
        holder.numbers = [2]
        #expect(holder.numbers == [2])
    }

    @Test func anArrayIsChangedInPlace() {
        var holder = Holder(numbers: Array(repeating: 0, count: 100))
        func address() -> UnsafeRawPointer? { holder.numbers?.withUnsafeBytes { $0.baseAddress } }
        let before = address()
        holder.numbers?[7] = 1
        #expect(address() == before)
    }

    @Test func theStructureHasTheSizeOfAPointer() {
        #expect(MemoryLayout<Boxed<(Int, Int, Int)>>.size == MemoryLayout<Int>.size)
    }
}
