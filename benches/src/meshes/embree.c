/* The calls of Embree 3 that the comparison needs, with plain arguments. */

#include <embree3/rtcore.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static RTCDevice device;

/* Builds a scene on the calling thread alone; a null pointer if Embree fails. */
RTCScene peer_embree_build(const float *positions, uint32_t position_count, const uint32_t *indices,
                           uint32_t triangle_count, int slow) {
    if (!device) device = rtcNewDevice("threads=1");
    if (!device) return NULL;
    RTCScene scene = rtcNewScene(device);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    void *to = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, position_count);
    if (to) memcpy(to, positions, (size_t)position_count * 12);
    to = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, triangle_count);
    if (to) memcpy(to, indices, (size_t)triangle_count * 12);
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

void peer_embree_release(RTCScene scene) { rtcReleaseScene(scene); }

static void fill(struct RTCRay *ray, const float *origin, const float *direction, float distance_max) {
    ray->org_x = origin[0], ray->org_y = origin[1], ray->org_z = origin[2];
    ray->dir_x = direction[0], ray->dir_y = direction[1], ray->dir_z = direction[2];
    ray->tnear = 0.0f, ray->tfar = distance_max;
    ray->time = 0.0f, ray->mask = UINT32_MAX, ray->id = 0, ray->flags = 0;
}

/* The distance of the nearest hit; infinite if there is none. */
float peer_embree_closest(RTCScene scene, const float *origin, const float *direction, float distance_max) {
    struct RTCIntersectContext context;
    struct RTCRayHit query;
    rtcInitIntersectContext(&context);
    fill(&query.ray, origin, direction, distance_max);
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(scene, &context, &query);
    return query.hit.geomID == RTC_INVALID_GEOMETRY_ID ? INFINITY : query.ray.tfar;
}

/* Whether anything is hit. */
int peer_embree_any(RTCScene scene, const float *origin, const float *direction, float distance_max) {
    struct RTCIntersectContext context;
    struct RTCRay ray;
    rtcInitIntersectContext(&context);
    fill(&ray, origin, direction, distance_max);
    rtcOccluded1(scene, &context, &ray);
    return ray.tfar < 0.0f;
}
