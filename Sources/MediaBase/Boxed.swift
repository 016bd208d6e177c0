/// Optional value in memory of its own. A structure with large values that are mostly nil stays small, and so does each slot of a dictionary
/// of such structures, of which up to two thirds are empty.
@propertyWrapper
package struct Boxed<Value: Sendable>: Sendable {
    // Changed only while this structure has the only reference to it.
    private final class Box: @unchecked Sendable {
        var value: Value?

        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    package init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

    package var wrappedValue: Value? {
        get { box?.value }
        _modify {
            var value: Value?
            // Moves the value out of a box that no copy shares, so that its arrays are changed in place.
            let isOwn = isKnownUniquelyReferenced(&box)
            if isOwn { swap(&value, &box!.value) } else { value = box?.value }
            defer {
                if isOwn, value != nil { box!.value = value } else { box = value.map(Box.init) }
            }
            yield &value
        }
    }
}
