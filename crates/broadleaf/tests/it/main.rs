//! quick smoke
use broadleaf::glam::Vec3;
use broadleaf::*;
fn rng(s: &mut u64) -> f32 {
    *s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ((*s >> 40) as f32) / (1u64 << 24) as f32
}
#[test]
fn smoke() {
    for (lo, cap, n, world) in
        [(2.0, 64, 500, 20.0), (1.0, 1, 300, 20.0), (1.5, 8, 2000, 40.0), (2.0, 64, 5000, 60.0), (1.0, 64, 3000, 50.0)]
    {
        let mut s = 42u64;
        let mut t = Octree::new(Config { looseness: lo, leaf_capacity: cap, ..Config::default() }).unwrap();
        let mk = |s: &mut u64| -> Aabb {
            let c = Vec3::new(rng(s), rng(s), rng(s)) * world;
            let e = if rng(s) < 0.05 { 5.0 } else { 0.5 };
            Aabb::from_center_half_extents(c, Vec3::splat(e * (0.1 + rng(s))))
        };
        let mut hs: Vec<(Handle, Aabb)> = vec![];
        for _ in 0..n {
            let a = mk(&mut s);
            hs.push((t.insert(a).unwrap(), a));
        }
        let mut sc = Scratch::new();
        let mut out = vec![];
        let mut out2 = vec![];
        for step in 0..30 {
            let v = t.view();
            v.pairs_into(&mut sc, &mut out);
            v.pairs_parallel_into(&mut sc, &mut out2);
            assert_eq!(out, out2);
            t.validate().unwrap();
            let mut want = vec![];
            for i in 0..hs.len() {
                for j in 0..i {
                    if hs[i].1.overlaps(&hs[j].1) {
                        want.push(Pair::new(hs[i].0, hs[j].0));
                    }
                }
            }
            let mut got = out.clone();
            got.sort();
            want.sort();
            assert_eq!(got.len(), want.len(), "step {step} {lo}");
            assert_eq!(got, want);
            let v = t.view();
            let q = mk(&mut s).expanded(3.0);
            let mut f = vec![];
            v.in_aabb_into(&q, Layers::ALL, &mut f).unwrap();
            f.sort();
            let mut w: Vec<_> = hs.iter().filter(|h| h.1.overlaps(&q)).map(|h| h.0).collect();
            w.sort();
            assert_eq!(f, w);
            // mutate
            for i in 0..hs.len() {
                let r = rng(&mut s);
                if r < 0.05 {
                    let a = mk(&mut s);
                    t.update(hs[i].0, a).unwrap();
                    hs[i].1 = a;
                } else if r < 0.5 {
                    let d = Vec3::new(rng(&mut s) - 0.5, rng(&mut s) - 0.5, rng(&mut s) - 0.5);
                    let a = hs[i].1.translated(d);
                    t.update(hs[i].0, a).unwrap();
                    hs[i].1 = a;
                } else if r < 0.55 {
                    t.remove(hs[i].0).unwrap();
                    let a = mk(&mut s);
                    hs[i] = (t.insert(a).unwrap(), a);
                }
            }
            t.validate().unwrap();
        }
        eprintln!("{:?}", t.counters());
    }
}
