//! Runs a program on a tree and on the oracle, side by side.

use super::compare::{Complaint, Mismatch, compare_all, compare_objects, same};
use super::fat;
use super::follow::Follower;
use super::{Op, Program, Question};
use crate::oracle::Oracle;
use broadleaf::glam::Vec3;
use broadleaf::{Error, Handle, Object, Octree, Scratch, Shape, Sphere};

/// Retired handles are remembered up to this number.
const RETIRED_MAX: usize = 32;

/// Runs a program. After every step the tree is validated and its objects are compared with the
/// oracle's; after every so many, pairs and questions too.
///
/// # Errors
/// The first step after which something differs.
pub fn run(program: &Program) -> Result<(), Mismatch> {
    run_with(program, |_, _| ())
}

/// Runs a program, and hands the tree out after every step: what is done to it
/// there must not show.
///
/// # Errors
/// The first step after which something differs.
pub fn run_with(program: &Program, mut after: impl FnMut(usize, &mut Octree)) -> Result<(), Mismatch> {
    let tree = Octree::new(program.config)
        .map_err(|error| Mismatch { step: 0, what: format!("settings refused: {error}") })?;
    let mut runner = Runner { tree, ..Runner::default() };
    for (step, op) in program.ops.iter().enumerate() {
        let full = program.stride != 0 && (step + 1).is_multiple_of(program.stride.into());
        let done = runner
            .step(op, &program.questions, step)
            .and_then(|()| if full { runner.compare(&program.questions, step) } else { Ok(()) });
        done.map_err(|what| Mismatch { step, what: format!("{op:?}: {what}") })?;
        after(step, &mut runner.tree);
    }
    let step = program.ops.len();
    runner.compare(&program.questions, step).map_err(|what| Mismatch { step, what })
}

#[derive(Default)]
pub(super) struct Runner {
    pub(super) tree: Octree,
    pub(super) oracle: Oracle,
    pub(super) live: Vec<Handle>,
    pub(super) retired: Vec<Handle>,
    scratch: Scratch,
    /// One that follows closely, and one that comes by now and then.
    followers: [Follower; 2],
}

impl Runner {
    fn compare(&mut self, questions: &[Question], turn: usize) -> Result<(), Complaint> {
        let follower = &mut self.followers[usize::from(turn % 32 == 21)];
        let kept = fat::kept(&mut self.tree, &self.oracle)?;
        follower.update(&mut self.tree, &kept)?;
        compare_all(&mut self.tree, [&self.oracle, &kept], &mut self.scratch, questions, turn)
    }

    pub(super) fn chosen(&self, index: u32) -> Option<Handle> {
        (!self.live.is_empty()).then(|| self.live[index as usize % self.live.len()])
    }

    fn step(&mut self, op: &Op, questions: &[Question], turn: usize) -> Result<(), Complaint> {
        match op {
            Op::Insert(object) => self.insert(object)?,
            Op::InsertMany(objects) => self.insert_many(objects)?,
            Op::InsertCopies(object, count) => self.insert_many(&vec![*object; (*count).into()])?,
            Op::Remove(index) => self.remove(*index)?,
            Op::RemoveMany(index, count) => {
                (0..*count).try_for_each(|_| self.remove(*index))?;
            }
            Op::Update(index, shape) => self.update(*index, *shape)?,
            Op::UpdateMany(updates) => {
                let chosen = |(index, shape): &(u32, Shape)| Some((self.chosen(*index)?, *shape));
                let updates: Vec<_> = updates.iter().filter_map(chosen).collect();
                self.update_many(&updates)?;
            }
            Op::Nudge(index, offset) => {
                if let Some(handle) = self.chosen(*index) {
                    self.update(*index, self.nudged(handle, *offset)?)?;
                }
            }
            Op::NudgeAll(offset) => {
                let offsets = [*offset, -*offset, Vec3::ZERO, *offset * 0.25];
                let nudged = |(handle, offset): (&Handle, &Vec3)| Ok((*handle, self.nudged(*handle, *offset)?));
                // Every other time those that stay where they are are left out.
                let is_given = |(_, moved): &(&Handle, &Vec3)| offset.x > 0.0 || **moved != Vec3::ZERO;
                let all = self.live.iter().zip(offsets.iter().cycle());
                let updates: Result<Vec<_>, Complaint> = all.filter(is_given).map(nudged).collect();
                self.update_many(&updates?)?;
            }
            Op::Rebuild => self.tree.rebuild(),
            Op::Clear => {
                self.tree.clear();
                self.oracle.clear();
                self.retired.append(&mut self.live);
            }
            Op::Reserve(objects) => self.tree.reserve((*objects).into()),
            Op::ShrinkToFit => self.tree.shrink_to_fit(),
            Op::ShiftOrigin(shift) => self.shift_origin(*shift)?,
            Op::View => self.compare(questions, turn)?,
            Op::Ask(question) => {
                let kept = fat::kept(&mut self.tree, &self.oracle)?;
                question.compare(self.tree.view(), &kept)?;
            }
            Op::Refuse(index, fault) => self.refuse(*index, *fault)?,
            Op::RefuseStale(index) => self.refuse_stale(*index)?,
            Op::SetLayers(..) | Op::SetMobility(..) | Op::SetUserData(..) => self.set(op)?,
        }
        self.retired.drain(..self.retired.len().saturating_sub(RETIRED_MAX));
        compare_objects(&self.tree, &self.oracle)
    }

    fn insert(&mut self, object: &Object) -> Result<(), Complaint> {
        let handle = self.tree.insert(*object).map_err(|error| error.to_string())?;
        self.adopt(handle, object)
    }

    fn insert_many(&mut self, objects: &[Object]) -> Result<(), Complaint> {
        let mut handles = self.retired.clone();
        self.tree.insert_many(objects, &mut handles).map_err(|error| error.to_string())?;
        same("number of handles", &handles.len(), &objects.len())?;
        handles.iter().zip(objects).try_for_each(|(handle, object)| self.adopt(*handle, object))
    }

    fn adopt(&mut self, handle: Handle, object: &Object) -> Result<(), Complaint> {
        let slots = self.oracle.objects().iter().map(|(live, _)| live.slot());
        if self.retired.contains(&handle) || slots.into_iter().any(|slot| slot == handle.slot()) {
            return Err(format!("{handle:?} was given before"));
        }
        self.oracle.insert(handle, *object);
        self.live.push(handle);
        Ok(())
    }

    fn remove(&mut self, index: u32) -> Result<(), Complaint> {
        if self.live.is_empty() {
            return Ok(());
        }
        let handle = self.live.swap_remove(index as usize % self.live.len());
        self.retired.push(handle);
        same("removed object", &self.tree.remove(handle), &self.oracle.remove(handle))
    }

    fn update(&mut self, index: u32, shape: Shape) -> Result<(), Complaint> {
        let Some(handle) = self.chosen(index) else {
            return Ok(());
        };
        same("update", &self.tree.update(handle, shape), &Ok(()))?;
        self.oracle.update(handle, shape);
        Ok(())
    }

    fn update_many(&mut self, updates: &[(Handle, Shape)]) -> Result<(), Complaint> {
        let (handles, shapes): (Vec<_>, Vec<_>) = updates.iter().copied().unzip();
        let as_box = |shape: &Shape| if let Shape::Aabb(aabb) = shape { Some(*aabb) } else { None };
        let as_ball = |shape: &Shape| if let Shape::Sphere(ball) = shape { Some(*ball) } else { None };
        let boxes: Option<Vec<_>> = shapes.iter().map(as_box).collect();
        let balls: Option<Vec<_>> = shapes.iter().map(as_ball).collect();
        let outcome = match (&boxes, &balls) {
            (Some(boxes), _) => self.tree.update_many(&handles, boxes),
            (_, Some(balls)) => self.tree.update_many(&handles, balls),
            _ => self.tree.update_many(&handles, &shapes),
        };
        same("update_many", &outcome, &Ok(()))?;
        for (handle, shape) in updates {
            self.oracle.update(*handle, *shape);
        }
        Ok(())
    }

    fn shift_origin(&mut self, shift: Vec3) -> Result<(), Complaint> {
        let mut shifted = self.oracle.clone();
        let mut kept = fat::kept(&mut self.tree, &self.oracle)?.into_owned();
        if !shift.is_finite() {
            let error = self.tree.shift_origin(shift).err();
            let named = matches!(error, Some(Error::NotANumber { field } | Error::NotFinite { field, .. }) if field.starts_with("shift."));
            return same("a shift that is not finite is named", &named, &true);
        }
        if shifted.shift_origin(shift) && kept.shift_origin(shift) {
            same("shift_origin", &self.tree.shift_origin(shift), &Ok(()))?;
            self.oracle = shifted;
            return Ok(());
        }
        let error = self.tree.shift_origin(shift).err();
        same("a shift too far is refused", &matches!(error, Some(Error::ShiftTooFar { .. })), &true)
    }

    /// An object's shape moved on, or as it is if it cannot be moved.
    fn nudged(&self, handle: Handle, offset: Vec3) -> Result<Shape, Complaint> {
        let object = self.oracle.get(handle).ok_or("the oracle lost an object")?;
        let moved: Shape = match object.shape {
            Shape::Aabb(aabb) => aabb.translated(offset).into(),
            Shape::Sphere(ball) => Sphere::new(ball.center + offset, ball.radius).into(),
            _ => unreachable!("a shape that is not known here"),
        };
        Ok(if moved.check().is_ok() { moved } else { object.shape })
    }

    fn set(&mut self, op: &Op) -> Result<(), Complaint> {
        let (Op::SetLayers(index, _) | Op::SetMobility(index, _) | Op::SetUserData(index, _)) = op else {
            return Ok(());
        };
        let Some(handle) = self.chosen(*index) else {
            return Ok(());
        };
        let (done, known) = match *op {
            Op::SetLayers(_, layers) => (self.tree.set_layers(handle, layers), self.oracle.set_layers(handle, layers)),
            Op::SetMobility(_, to) => (self.tree.set_mobility(handle, to), self.oracle.set_mobility(handle, to)),
            Op::SetUserData(_, to) => (self.tree.set_user_data(handle, to), self.oracle.set_user_data(handle, to)),
            _ => return Ok(()),
        };
        same("a setter's result", &(done, known), &(Ok(()), true))
    }
}
