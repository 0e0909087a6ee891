//! The components [`RayCaster`] and [`ShapeCaster`], served by the octree.
//!
//! avian's own systems run before these, move the casters along with their entities, and find
//! nothing in the empty trees.

use avian3d::prelude::*;
use bevy::prelude::*;

use crate::OctreeQuery;

pub(crate) fn cast_rays(mut casters: Query<(Entity, &mut RayCaster, &mut RayHits)>, query: OctreeQuery) {
    for (entity, mut caster, mut hits) in &mut casters {
        hits.clear();
        if !caster.enabled {
            continue;
        }
        let ignored = caster.ignore_self;
        exclude(&mut caster.query_filter, entity, ignored);
        let (origin, direction) = (caster.global_origin(), caster.global_direction());
        let RayCaster { max_distance, max_hits, solid, query_filter, .. } = &*caster;
        if *max_hits == 1 {
            hits.extend(query.cast_ray(origin, direction, *max_distance, *solid, query_filter));
        } else {
            hits.0 = query.ray_hits(origin, direction, *max_distance, *max_hits, *solid, query_filter);
        }
    }
}

pub(crate) fn cast_shapes(mut casters: Query<(Entity, &mut ShapeCaster, &mut ShapeHits)>, query: OctreeQuery) {
    for (entity, mut caster, mut hits) in &mut casters {
        hits.clear();
        if !caster.enabled {
            continue;
        }
        let ignored = caster.ignore_self;
        exclude(&mut caster.query_filter, entity, ignored);
        let config = ShapeCastConfig {
            max_distance: caster.max_distance,
            target_distance: caster.target_distance,
            compute_contact_on_penetration: caster.compute_contact_on_penetration,
            ignore_origin_penetration: caster.ignore_origin_penetration,
        };
        let (origin, turn, direction) =
            (caster.global_origin(), caster.global_shape_rotation(), caster.global_direction());
        let ShapeCaster { shape, max_hits, query_filter, .. } = &*caster;
        if *max_hits == 1 {
            hits.extend(query.cast_shape(shape, origin, turn, direction, &config, query_filter));
        } else {
            hits.0 = query.shape_hits(shape, origin, turn, direction, *max_hits, &config, query_filter);
        }
    }
}

/// Whether a caster finds its own entity.
fn exclude(filter: &mut SpatialQueryFilter, entity: Entity, excluded: bool) {
    if excluded {
        filter.excluded_entities.insert(entity);
    } else {
        filter.excluded_entities.remove(&entity);
    }
}
