//! The border, called from Rust as C calls it: what bad pointers, lengths, numbers and handles
//! give, that nothing is changed then, and that answers are those of the library.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Handle, Octree, Ray, Scratch, Sphere};
use broadleaf_c::*;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

/// Calls an exported function, with the contract that its test keeps.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: pointers lead to values on the stack of the test, to lists with the length
        // given, or to what this library made; NULL and misaligned ones are what is tested.
        unsafe { $function($($argument),*) }
    };
}

/// Calls an exported function that writes one value.
macro_rules! tell {
    ($function:ident($($argument:expr),*)) => {{
        let mut value = MaybeUninit::uninit();
        assert_eq!(call!($function($($argument,)* value.as_mut_ptr())), bl_status::Ok, "{}", message());
        // SAFETY: the call was not refused, so it has written the value.
        unsafe { value.assume_init() }
    }};
}

fn message() -> String {
    // SAFETY: the text ends with a zero, and no call of this thread comes before the copy.
    unsafe { CStr::from_ptr(bl_last_error()) }.to_str().expect("UTF-8").to_owned()
}

/// Boxes on a line, each touching the next, and a tree of them that is up to date.
struct World {
    tree: *mut bl_octree,
    scratch: *mut bl_scratch,
    boxes: Vec<bl_aabb>,
    handles: Vec<bl_handle>,
}

impl World {
    fn new(count: u16) -> Self {
        let at = |index: u16| f32::from(index);
        let boxes: Vec<_> =
            (0..count).map(|i| bl_aabb { min: [at(i), 0.0, 0.0], max: [at(i) + 1.0, 1.0, 1.0] }).collect();
        let (tree, scratch) = (tell!(bl_octree_new(null())), tell!(bl_scratch_new()));
        let mut handles = vec![0; boxes.len()];
        let status = call!(bl_octree_insert_aabbs(tree, boxes.as_ptr(), boxes.len(), handles.as_mut_ptr()));
        assert_eq!(status, bl_status::Ok);
        assert_eq!(call!(bl_octree_flush(tree)), bl_status::Ok);
        Self { tree, scratch, boxes, handles }
    }

    fn hash(&self) -> u64 {
        tell!(bl_octree_state_hash(self.tree))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        assert_eq!(call!(bl_octree_validate(self.tree)), bl_status::Ok);
        call!(bl_octree_free(self.tree));
        call!(bl_scratch_free(self.scratch));
    }
}

fn options() -> bl_options {
    // SAFETY: numbers, pointers and optional functions: zero is a value of each.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

fn region(aabb: bl_aabb) -> bl_region {
    bl_region { kind: BL_REGION_AABB, of: bl_region_of { aabb } }
}

#[test]
fn null_pointers_are_named() {
    let world = World::new(3);
    let hash = world.hash();
    let mut count = 7;
    assert_eq!(call!(bl_octree_flush(null_mut())), bl_status::NullPointer);
    assert_eq!(message(), "tree is NULL");
    let status = call!(bl_octree_overlap(world.tree, null(), null(), null_mut(), 0, &raw mut count));
    assert_eq!((status, message().as_str(), count), (bl_status::NullPointer, "region is NULL", 7));
    let all = region(world.boxes[0]);
    let status = call!(bl_octree_overlap(world.tree, &raw const all, null(), null_mut(), 3, &raw mut count));
    assert_eq!((status, message().as_str(), count), (bl_status::NullPointer, "found is NULL", 7));
    let status = call!(bl_octree_update_aabbs(world.tree, null(), world.boxes.as_ptr(), 3));
    assert_eq!((status, message().as_str()), (bl_status::NullPointer, "handles is NULL"));
    let status = call!(bl_octree_retain(world.tree, None, null_mut()));
    assert_eq!((status, message().as_str()), (bl_status::NullPointer, "keep is NULL"));
    assert_eq!(world.hash(), hash);
    call!(bl_octree_free(null_mut()));
}

#[test]
fn misaligned_pointers_are_refused() {
    let world = World::new(3);
    let hash = world.hash();
    let odd = world.boxes.as_ptr().wrapping_byte_add(1);
    let status = call!(bl_octree_update_aabbs(world.tree, world.handles.as_ptr(), odd, 2));
    assert_eq!((status, message().as_str()), (bl_status::MisalignedPointer, "aabbs is not aligned to 4 bytes"));
    let odd = world.handles.as_ptr().wrapping_byte_add(4);
    let status = call!(bl_octree_remove_many(world.tree, odd, 1));
    assert_eq!((status, message().as_str()), (bl_status::MisalignedPointer, "handles is not aligned to 8 bytes"));
    let odd = world.tree.wrapping_byte_add(1);
    assert_eq!(call!(bl_octree_flush(odd)), bl_status::MisalignedPointer);
    assert_eq!(world.hash(), hash);
}

#[test]
fn lengths_that_no_array_has_are_refused() {
    let world = World::new(3);
    let mut handles = [0; 3];
    for count in [usize::MAX, isize::MAX as usize, usize::MAX / size_of::<bl_aabb>()] {
        let status = call!(bl_octree_insert_aabbs(world.tree, world.boxes.as_ptr(), count, handles.as_mut_ptr()));
        assert_eq!((status, handles), (bl_status::BadLength, [0; 3]));
    }
    assert_eq!(call!(bl_octree_insert_aabbs(world.tree, null(), 0, null_mut())), bl_status::Ok);
}

#[test]
fn what_is_not_a_number_is_named_with_its_index() {
    let world = World::new(3);
    let hash = world.hash();
    let mut boxes = world.boxes.clone();
    boxes[2].max[1] = f32::NAN;
    let status = call!(bl_octree_update_aabbs(world.tree, world.handles.as_ptr(), boxes.as_ptr(), 3));
    assert_eq!((status, bl_last_error_index()), (bl_status::IllegalShape, 2));
    assert_eq!(message(), "element 2: max.y is not a number");
    let ray = bl_ray { origin: [0.0; 3], direction: [f32::NAN, 0.0, 1.0], distance_max: 1.0 };
    let cast = bl_cast { kind: BL_CAST_RAY, of: bl_cast_of { ray } };
    let mut hit = bl_hit { handle: 9, ..bl_hit::default() };
    let status = call!(bl_octree_cast_closest(world.tree, &raw const cast, null(), &raw mut hit));
    assert_eq!((status, hit.handle, world.hash()), (bl_status::IllegalShape, 9, hash));
}

#[test]
fn numbers_that_are_no_handles_never_name_an_object() {
    let world = World::new(3);
    let hash = world.hash();
    let stale = world.handles[1];
    assert_eq!(call!(bl_octree_remove(world.tree, stale, null_mut())), bl_status::Ok);
    assert_eq!(call!(bl_octree_remove(world.tree, stale, null_mut())), bl_status::StaleHandle);
    // No object has an even generation; slots end below 2^28; zero is no handle.
    for bits in [0, 2, 4, stale + 1, u64::MAX, 1 << 63, world.handles[2] ^ 1 << 60] {
        assert_eq!(call!(bl_octree_set_user_data(world.tree, bits, 1)), bl_status::StaleHandle, "{bits:#x}");
        assert_eq!(tell!(bl_octree_contains(world.tree, bits)), 0);
    }
    assert_ne!(world.hash(), hash, "one object was removed");
    let handles = [world.handles[0], stale];
    let before = world.hash();
    let status = call!(bl_octree_remove_many(world.tree, handles.as_ptr(), 2));
    assert_eq!((status, bl_last_error_index(), world.hash()), (bl_status::StaleHandle, 1, before));
}

#[test]
fn a_panic_is_caught_and_told() {
    let world = World::new(3);
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let status = call!(bl_octree_reserve(world.tree, usize::MAX));
    std::panic::set_hook(quiet);
    assert_eq!((status, message().as_str()), (bl_status::Panic, "the library has panicked: capacity overflow"));
    assert_eq!(tell!(bl_octree_len(world.tree)), 3);
}

#[test]
fn a_list_without_room_is_full_and_counted() {
    let world = World::new(100);
    let all = region(bl_aabb { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] });
    let (mut count, mut found) = (0, vec![0; 100]);
    let mut ask = |capacity| {
        let status =
            call!(bl_octree_overlap(world.tree, &raw const all, null(), found.as_mut_ptr(), capacity, &raw mut count));
        (status, count, found.clone())
    };
    let (status, count, part) = ask(40);
    assert_eq!((status, count, part[40]), (bl_status::Truncated, 100, 0));
    let (status, count, whole) = ask(100);
    assert_eq!((status, count, &whole[..40]), (bl_status::Ok, 100, &part[..40]));
    let mut sorted = whole;
    sorted.sort_unstable();
    assert_eq!(sorted, world.handles);
}

extern "C" fn is_even(context: *mut c_void, handle: bl_handle) -> i32 {
    // SAFETY: the context is the counter that the test hands in, for the time of the call.
    let asked = unsafe { &mut *context.cast::<u32>() };
    *asked += 1;
    if bl_handle_slot(handle).is_multiple_of(2) { -5 } else { 0 }
}

#[test]
fn functions_get_their_context_and_any_number_but_zero_is_yes() {
    let world = World::new(100);
    let all = region(bl_aabb { min: [0.0; 3], max: [50.0; 3] });
    let (mut asked, mut count) = (0_u32, 0);
    let options = bl_options { filter: Some(is_even), context: (&raw mut asked).cast(), ..options() };
    let status =
        call!(bl_octree_overlap(world.tree, &raw const all, &raw const options, null_mut(), 0, &raw mut count));
    assert_eq!((status, asked, count), (bl_status::Ok, 51, 26));
}

#[test]
fn answers_and_their_order_are_those_of_the_library() {
    let world = World::new(200);
    let mut tree = Octree::default();
    let (mut handles, mut expected) = (Vec::new(), Vec::new());
    let boxes: Vec<Aabb> = world.boxes.iter().map(|&aabb| aabb.into()).collect();
    tree.insert_many(&boxes, &mut handles).expect("legal boxes");
    let view = tree.view();
    let bits = |handles: &[Handle]| handles.iter().map(|handle| handle.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&handles), world.handles);

    let ball = bl_sphere { center: [40.0, 0.0, 0.0], radius: 9.5 };
    let asked = bl_region { kind: BL_REGION_SPHERE, of: bl_region_of { sphere: ball } };
    let (mut found, mut count) = (vec![0; 200], 0);
    let status =
        call!(bl_octree_overlap(world.tree, &raw const asked, null(), found.as_mut_ptr(), 200, &raw mut count));
    view.overlap(&Sphere::new(Vec3::X * 40.0, 9.5)).expect("legal").collect_into(&mut expected);
    assert_eq!((status, &found[..count]), (bl_status::Ok, &bits(&expected)[..]));

    let (mut pairs, mut expected) = (vec![bl_pair { a: 0, b: 0 }; 500], Vec::new());
    let options = bl_options { scratch: world.scratch, threads: BL_THREADS_POOL, ..options() };
    let status = call!(bl_octree_pairs(world.tree, &raw const options, pairs.as_mut_ptr(), 500, &raw mut count));
    view.pairs(&mut Scratch::new()).collect_into(&mut expected);
    let expected: Vec<bl_pair> = expected.into_iter().map(Into::into).collect();
    assert_eq!((status, count, &pairs[..count]), (bl_status::Ok, 199, &expected[..]));

    let segment = bl_segment { from: [-5.0, 0.5, 0.5], to: [300.0, 0.75, 0.25] };
    let cast = bl_cast { kind: BL_CAST_SEGMENT, of: bl_cast_of { segment } };
    let hit = tell!(bl_octree_cast_closest(world.tree, &raw const cast, null()));
    let ray = Ray::segment(segment.from, segment.to).expect("legal");
    assert_eq!(hit, view.cast(&ray).closest().expect("a hit").into());
    let hash = world.hash();
    assert_eq!(hash, tree.state_hash());
}

#[test]
fn the_version_is_that_of_the_package() {
    let numbers = format!("{BL_VERSION_MAJOR}.{BL_VERSION_MINOR}.{BL_VERSION_PATCH}");
    assert_eq!(numbers, env!("CARGO_PKG_VERSION"));
    assert_eq!(bl_version(), BL_VERSION_MAJOR << 20 | BL_VERSION_MINOR << 10 | BL_VERSION_PATCH);
}

#[test]
fn unsafe_blocks_stand_in_two_files_each_with_its_reason() {
    let sources = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut blocks = 0;
    for entry in std::fs::read_dir(sources).expect("there are sources") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a source can be read");
        let here = text.matches("unsafe {").count() + text.matches("unsafe impl").count();
        let may = path.ends_with("border.rs") || path.ends_with("callbacks.rs");
        assert!(here == 0 || may, "{} holds unsafe blocks", path.display());
        let reasons = text.matches("// SAFETY:").count();
        assert!(reasons >= here, "{}: {here} unsafe blocks, {reasons} reasons", path.display());
        blocks += here;
    }
    assert!(blocks > 10);
}

#[test]
fn every_function_of_the_header_is_called_by_a_test_in_c() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(root.join("include/broadleaf.h")).expect("the header");
    let mut tests = String::new();
    for entry in std::fs::read_dir(root.join("c/tests")).expect("there are tests") {
        tests += &std::fs::read_to_string(entry.expect("an entry").path()).expect("a test");
    }
    let code = header.lines().filter(|line| !line.starts_with(['/', ' ', '#']) && !line.starts_with("typedef"));
    let names = code.flat_map(|line| line.match_indices('(').map(move |(end, _)| &line[..end]));
    let names = names.filter_map(|before| before.rsplit([' ', '*']).next()).filter(|name| name.starts_with("bl_"));
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 100, "{} functions", names.len());
    for name in names {
        assert!(tests.contains(&format!("{name}(")) || tests.contains(&format!("{name})")), "{name} is in no test");
    }
}
