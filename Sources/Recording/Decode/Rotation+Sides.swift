import MediaBase

extension Rotation {
    /// Width and height change places.
    var isSideways: Bool { self == .quarter || self == .threeQuarters }
}
