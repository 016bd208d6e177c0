import MediaBase

/// ProjectionPoseRoll of a Matroska header: degrees counter-clockwise from -180 to 180 (RFC 9559 section 5.1.4.1.28.46).
extension Rotation {
    init(projectionRoll roll: Double) {
        self =
            switch roll {
            case -90: .quarter
            case 180, -180: .half
            case 90: .threeQuarters
            default: .none
            }
    }

    var projectionRoll: Float {
        switch self {
        case .none: 0
        case .quarter: -90
        case .half: 180
        case .threeQuarters: 90
        }
    }
}
