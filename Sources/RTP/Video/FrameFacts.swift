/// Properties of one video packet that forwarding needs, whatever its codec. Plain integers only: reading them allocates nothing.
package struct FrameFacts: Sendable {
    /// The packet is the first of a frame.
    package var isFrameStart = false
    /// A decoder without state can start at this packet, which is the first of a key frame.
    package var isKeyFrameStart = false
    /// The frame depends on no frame above the base temporal layer.
    package var isLayerSync = false
    package var spatialLayer: UInt8 = 0
    /// Layer of the frame in the numbering of frames: if it is left out, later PictureIDs move up. 0 for codecs other than VP8, whose
    /// frames refer to others by differences of PictureIDs, or have none.
    package var numberedLayer: UInt8 = 0
    /// H.264: parameter sets in the packet, and those that are missing.
    package var parameterSets: ParameterSets = []
    /// Numbers that a rewrite changes, and the layer.
    package var fields = RewriteFields()
    /// Width and height in pixels that the packet states; 0 if it states none.
    package var width: UInt16 = 0
    package var height: UInt16 = 0

    package init() {}

    package struct ParameterSets: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The packet has a whole sequence parameter set, or begins one.
        package static let sequence = ParameterSets(rawValue: 1)
        /// The packet starts a key frame with a slice, without a sequence parameter set before it.
        package static let isMissing = ParameterSets(rawValue: 2)
        /// The sequence parameter set says that frames are decoded in another order than they are shown.
        package static let reordersFrames = ParameterSets(rawValue: 4)
    }
}
