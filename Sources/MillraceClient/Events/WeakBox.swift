/// Weak reference that is set once. It is `Sendable` because the runtime reads and clears weak references
/// atomically.
final class WeakBox<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?

    init(_ object: Object) { self.object = object }
}
