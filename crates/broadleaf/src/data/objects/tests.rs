use super::*;
use crate::data::BlockId;

impl Objects {
    /// Gives a row its last generation.
    fn begin_last_generation(&mut self, row: Row) {
        self.generations.set(row, NonZeroU32::MAX, self.rows());
    }
}

#[test]
fn a_slot_is_retired_when_its_generations_are_used_up() {
    let mut objects = Objects::new();
    let (row, _) = objects.allocate(0, 0).unwrap();
    objects.begin_last_generation(row);
    let last = objects.handle(row);
    objects.release(row);
    assert_eq!(objects.row(last), None);
    let (next, _) = objects.allocate(0, 0).unwrap();
    assert_ne!(next, row);
}

#[test]
fn many_rows_are_those_of_one_after_the_other() {
    let object = |i: &u32| (*i, u64::from(*i) + 7);
    let mut objects = Objects::new();
    let rows: Vec<Row> = (0..20).map(|i| objects.allocate(i, 0).unwrap().0).collect();
    for freed in [3, 4, 5, 11, 10, 19] {
        objects.release(rows[freed]);
    }
    for len in [1, 2, 5, 6, 9, 300] {
        let (mut one, mut many, mut handles) = (objects.clone(), objects.clone(), Vec::new());
        let each: Vec<u32> = (0..len).collect();
        let expected: Vec<Handle> = each.iter().map(|i| one.allocate(object(i).0, object(i).1).unwrap().1).collect();
        many.allocate_many(&each, object, &mut handles).unwrap();
        assert_eq!((handles, many.len(), many.free), (expected, one.len(), one.free));
        let rows = |objects: &Objects| -> Vec<_> {
            (0..objects.slots_len()).map(|row| (objects.filters(Row(row)), objects.user_data(Row(row)))).collect()
        };
        assert_eq!(rows(&many), rows(&one));
    }
    let (mut many, mut handles) = (objects.clone(), Vec::new());
    assert_eq!(many.allocate_many_below(22, &[0; 9], object, &mut handles), Err(8));
}

#[test]
fn a_cleared_column_starts_from_the_lowest_row_and_keeps_retired_ones_out() {
    let mut objects = Objects::new();
    let rows: Vec<Row> = (0..5).map(|_| objects.allocate(0, 0).unwrap().0).collect();
    objects.begin_last_generation(Row(2));
    objects.release(rows[4]);
    objects.release(rows[1]);
    objects.clear();
    let mut handles = Vec::new();
    objects.allocate_many(&[(); 5], |()| (0, 0), &mut handles).unwrap();
    assert_eq!(handles.iter().map(|handle| handle.slot()).collect::<Vec<_>>(), [0, 1, 3, 4, 5]);
    assert_eq!((objects.len(), objects.is_live(Row(2))), (5, false));
}

#[test]
fn handles_of_living_objects_in_consecutive_rows_are_a_run() {
    let mut objects = Objects::new();
    let handles: Vec<Handle> = (0..6).map(|_| objects.allocate(0, 0).unwrap().1).collect();
    assert_eq!(objects.run_of(&handles), Some(Row(0)));
    assert_eq!(objects.run_of(&handles[2..5]), Some(Row(2)));
    assert_eq!(objects.run_of(&[]), None);
    assert_eq!(objects.run_of(&[handles[0], handles[2], handles[1], handles[3]]), None);
    assert_eq!(objects.run_of(&[handles[1], handles[0]]), None);
    objects.release(Row(3));
    assert_eq!((objects.run_of(&handles), objects.run_of(&handles[..3])), (None, Some(Row(0))));
    let beyond = Handle::new(6, NonZeroU32::MIN);
    assert_eq!(objects.run_of(&[handles[5], beyond]), None);
    assert_eq!(objects.run_of(&[Handle::new(u32::MAX, NonZeroU32::MIN); 2]), None);
}

#[test]
fn rows_end_at_their_limit() {
    let mut objects = Objects::new();
    let first = objects.allocate_below(2, 1, 1).unwrap();
    let second = objects.allocate_below(2, 2, 2).unwrap();
    let memory = objects.memory();
    assert_eq!(objects.allocate_below(2, 3, 3), Err(Error::TooManyObjects { limit: 2 }));
    assert_eq!((objects.len(), objects.memory()), (2, memory));
    assert_eq!((objects.row(first.1), objects.row(second.1)), (Some(first.0), Some(second.0)));
    objects.release(first.0);
    assert_eq!(objects.allocate_below(2, 3, 3).unwrap().0, first.0);
}

#[test]
fn generations_take_memory_from_the_first_removal_of_one_object_on() {
    let mut objects = Objects::new();
    let fill = |objects: &mut Objects, len: usize| {
        let mut handles = Vec::new();
        objects.allocate_many(&vec![(); len], |()| (ALL, NO_DATA), &mut handles).unwrap();
        handles
    };
    let mut given: Vec<Handle> = Vec::new();
    for len in [40, 40, 7, 0, 40] {
        let handles = fill(&mut objects, len);
        assert!(handles.iter().zip(0..).all(|(&handle, slot)| handle.slot() == slot && !given.contains(&handle)));
        assert!(handles.iter().all(|&handle| objects.row(handle) == Some(Row(handle.slot()))));
        assert!(given.iter().all(|&stale| objects.row(stale).is_none()), "{len}");
        assert_eq!(objects.run_of(&handles), handles.first().map(|_| Row(0)));
        assert_eq!(objects.memory(), objects.slots.capacity() * size_of::<Slot>());
        given.extend(handles);
        objects.clear();
    }
    let handles = fill(&mut objects, 40);
    objects.release(Row(11));
    assert!(objects.memory() > objects.slots.capacity() * size_of::<Slot>());
    let (row, again) = objects.allocate(ALL, NO_DATA).unwrap();
    assert_eq!((row, again.generation()), (Row(11), handles[11].generation() + 2));
    assert_eq!((objects.row(handles[11]), objects.row(again)), (None, Some(Row(11))));
    assert_eq!((objects.run_of(&handles), objects.run_of(&handles[12..])), (None, Some(Row(12))));
    // New rows lie beyond the column.
    let more = fill(&mut objects, 9);
    let all: Vec<Handle> = (0..49).map(|row| objects.handle(Row(row))).collect();
    assert_eq!((objects.run_of(&more), objects.run_of(&all)), (Some(Row(40)), Some(Row(0))));
    objects.clear();
    assert!(all.iter().all(|&stale| objects.row(stale).is_none()));
    assert!(fill(&mut objects, 49).iter().zip(&all).all(|(new, old)| new.generation() == old.generation() + 2));
}

#[test]
fn rows_that_are_not_used_again_stay_so_when_all_are_cleared() {
    let mut objects = Objects::new();
    let rows: Vec<Row> = (0..3).map(|_| objects.allocate(0, 0).unwrap().0).collect();
    objects.generations = Generations::all(NonZeroU32::MAX);
    let last = objects.handle(Row(1));
    objects.release(rows[0]);
    objects.clear();
    let (row, handle) = objects.allocate(0, 0).unwrap();
    assert_eq!((row, handle.generation()), (Row(3), 1), "a new row begins with the first generation");
    assert_eq!((objects.row(last), objects.is_live(Row(0)), objects.len()), (None, false, 1));
    objects.clear();
    let again = objects.allocate(0, 0).unwrap();
    assert_eq!((again.0, again.1.generation(), objects.slots_len()), (Row(3), 3, 4));
}

#[test]
fn hashes_tell_the_generation_of_the_next_row() {
    let hash = |calls: &dyn Fn(&mut Objects)| {
        let (mut objects, mut hash) = (Objects::new(), WordHash::new());
        calls(&mut objects);
        objects.hash(&mut hash);
        let next = (0..3).map(|_| objects.allocate(0, 0).unwrap().1).last();
        (hash.finish(), next)
    };
    let insert = |objects: &mut Objects| objects.allocate(0, 0).unwrap().0;
    let removed = hash(&|objects| {
        let row = insert(objects);
        objects.release(row);
        insert(objects);
    });
    let cleared = hash(&|objects| {
        insert(objects);
        objects.clear();
        insert(objects);
    });
    assert!(removed.1 != cleared.1 && removed.0 != cleared.0);
    let (new, renewed) = (hash(&|_| ()), hash(&Objects::clear));
    assert!(new.1 != renewed.1 && new.0 != renewed.0);
}

#[test]
fn every_location_is_below_the_mark_of_free_rows() {
    let last = BlockId((1 << 28) - 1);
    assert!(Location::new(last, 7).0 < Slot::FREE);
}

#[cfg(feature = "serde")]
#[test]
fn rows_that_contradict_each_other_are_refused() {
    let sound = || {
        let mut objects = Objects::new();
        let rows: Vec<Row> = (0..6).map(|_| objects.allocate(0, 0).unwrap().0).collect();
        [1, 4].into_iter().for_each(|row| objects.release(rows[row]));
        objects.begin_last_generation(rows[5]);
        objects.release(rows[5]);
        objects
    };
    assert!(sound().check_restored().is_ok());
    let refused = |spoil: &dyn Fn(&mut Objects)| {
        let mut objects = sound();
        spoil(&mut objects);
        objects.check_restored().is_err()
    };
    assert!(refused(&|objects| objects.slots[1].free(4)), "a circle of free rows");
    assert!(refused(&|objects| objects.slots[1].free(5)), "a retired row in the list");
    assert!(refused(&|objects| objects.slots[1].free(2)), "a living row in the list");
    assert!(refused(&|objects| objects.slots[1].free(9)), "a row that does not exist");
    assert!(refused(&|objects| objects.free = 1), "a free row that is not in the list");
    assert!(refused(&|objects| objects.len = 4), "living rows miscounted");
    let even = NonZeroU32::new(2).unwrap();
    assert!(refused(&|objects| objects.generations.set(Row(2), even, objects.rows())), "an even generation");
    assert!(refused(&|objects| objects.generations = Generations::all(even)), "an even usual generation");
    assert!(refused(&|objects| objects.slots.truncate(5)), "a column longer than the rows");
}
