use broadleaf::*;
use std::time::Instant;
use workloads::sweep::{SweepScene, fixed};
fn least(n: usize, mut f: impl FnMut() -> usize) -> (f64, usize) {
    let mut best = f64::MAX; let mut r = 0;
    for _ in 0..n { let t = Instant::now(); r = f(); best = best.min(t.elapsed().as_nanos() as f64); }
    (best, r)
}
fn main() {
    let n: u32 = std::env::args().nth(1).map_or(20_000, |a| a.parse().unwrap());
    let only = std::env::args().nth(2).unwrap_or_default();
    let ls: Vec<f32> = std::env::args().nth(3).map_or(vec![2.0, 3.0, 5.0, 9.0, 17.0, 33.0, 65.0, 1e6], |a| a.split(',').map(|x| x.parse().unwrap()).collect());
    println!("scene looseness build pairs frame ray box found tested");
    for named in fixed(n) {
        if !named.name.contains(&only) { continue; }
        for &looseness in &ls {
            let mut scene = SweepScene::new(&named.parameters);
            let config = Config { looseness, ..Config::default() };
            let objects = scene.objects().to_vec();
            let mut handles = Vec::new();
            let per = |t: f64| t / f64::from(n);
            let mut tree = Octree::new(config).unwrap();
            let (build, _) = least(5, || { tree.clear(); tree.insert_many(&objects, &mut handles).unwrap(); tree.view(); 0 });
            let (mut scratch, mut found) = (Scratch::new(), Vec::new());
            let mut stats = QueryStats::default();
            tree.view().pairs(&mut scratch).stats(&mut stats).collect_into(&mut found);
            let (pairs, count) = least(5, || { tree.view().pairs(&mut scratch).collect_into(&mut found); found.len() });
            let movers: Vec<Handle> = scene.movers().iter().map(|&m| handles[m as usize]).collect();
            let steps: Vec<Vec<Shape>> = (0..6).map(|_| scene.step()).collect();
            let mut step = 0;
            let (frame, _) = least(6, || { tree.update_many(&movers, &steps[step]).unwrap(); step += 1; tree.view().pairs(&mut scratch).collect_into(&mut found); found.len() });
            let (rays, boxes) = (scene.query_rays(300, 1), scene.query_boxes(300, 2));
            let view = tree.view();
            let (ray, _) = least(5, || rays.iter().filter(|r| view.cast(*r).closest().is_some()).count());
            let mut hits = Vec::new();
            let (bx, nb) = least(5, || boxes.iter().map(|b| { view.overlap(b).unwrap().collect_into(&mut hits); hits.len() }).sum());
            println!("{} {} {:.1} {:.1} {:.1} {:.0} {:.0} {} {} {}", named.name, looseness, per(build), per(pairs), per(frame), ray / 300.0, bx / 300.0, count, stats.objects_tested, nb);
        }
    }
}
