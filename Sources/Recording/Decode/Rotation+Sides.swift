import MediaBase

extension Rotation {
    /// Whether the rotation swaps width and height.
    var isSideways: Bool { self == .quarter || self == .threeQuarters }
}
