/* Boxes as user geometry of Embree 3, with plain arguments: six floats a box, the lower corner first. */

#include <embree3/rtcore.h>
#include <math.h>
#include <stdint.h>

static RTCDevice device;

/* The reciprocals of a ray's direction go with its context, so that no box takes them anew. */
struct context {
    struct RTCIntersectContext base;
    float inverse[3];
};

static void bounds(const struct RTCBoundsFunctionArguments *arguments) {
    const float *box = (const float *)arguments->geometryUserPtr + 6 * (size_t)arguments->primID;
    struct RTCBounds *out = arguments->bounds_o;
    out->lower_x = box[0], out->lower_y = box[1], out->lower_z = box[2];
    out->upper_x = box[3], out->upper_y = box[4], out->upper_z = box[5];
}

static void intersect(const struct RTCIntersectFunctionNArguments *arguments) {
    if (!arguments->valid[0]) return;
    /* One ray a call, whose layout is that of the plain structure. */
    struct RTCRayHit *query = (struct RTCRayHit *)arguments->rayhit;
    const float *inverse = ((const struct context *)arguments->context)->inverse;
    const float *box = (const float *)arguments->geometryUserPtr + 6 * (size_t)arguments->primID;
    const float origin[3] = {query->ray.org_x, query->ray.org_y, query->ray.org_z};
    float enter = 0.0f, leave = query->ray.tfar;
    for (int axis = 0; axis < 3; axis++) {
        float a = (box[axis] - origin[axis]) * inverse[axis], b = (box[axis + 3] - origin[axis]) * inverse[axis];
        float near = a < b ? a : b, far = a < b ? b : a;
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
    }
    if (enter > leave) return;
    query->ray.tfar = enter;
    query->hit.geomID = arguments->geomID;
    query->hit.primID = arguments->primID;
}

/* Builds a scene on the calling thread alone; a null pointer if Embree fails. The boxes must outlive it. */
RTCScene peer_embree_boxes_build(const float *boxes, uint32_t count, int slow) {
    if (!device) device = rtcNewDevice("threads=1");
    if (!device) return NULL;
    RTCScene scene = rtcNewScene(device);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, count);
    rtcSetGeometryUserData(geometry, (void *)boxes);
    rtcSetGeometryBoundsFunction(geometry, bounds, NULL);
    rtcSetGeometryIntersectFunction(geometry, intersect);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcSetSceneBuildQuality(scene, slow ? RTC_BUILD_QUALITY_HIGH : RTC_BUILD_QUALITY_LOW);
    rtcCommitScene(scene);
    if (rtcGetDeviceError(device) != RTC_ERROR_NONE) {
        rtcReleaseScene(scene);
        return NULL;
    }
    return scene;
}

void peer_embree_boxes_release(RTCScene scene) { rtcReleaseScene(scene); }

/* Where the ray enters the nearest box, zero from inside; infinite if it meets none. */
float peer_embree_boxes_closest(RTCScene scene, const float *origin, const float *direction, float distance_max) {
    struct context context;
    struct RTCRayHit query;
    rtcInitIntersectContext(&context.base);
    for (int axis = 0; axis < 3; axis++) context.inverse[axis] = 1.0f / direction[axis];
    query.ray.org_x = origin[0], query.ray.org_y = origin[1], query.ray.org_z = origin[2];
    query.ray.dir_x = direction[0], query.ray.dir_y = direction[1], query.ray.dir_z = direction[2];
    query.ray.tnear = 0.0f, query.ray.tfar = distance_max;
    query.ray.time = 0.0f, query.ray.mask = UINT32_MAX, query.ray.id = 0, query.ray.flags = 0;
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(scene, &context.base, &query);
    return query.hit.geomID == RTC_INVALID_GEOMETRY_ID ? INFINITY : query.ray.tfar;
}
