// The three-dimensional part of the page: cameras, lights, what is drawn.

import * as THREE from 'three';
import { FlyControls } from 'three/addons/controls/FlyControls.js';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { Lines, Solids } from './shapes.js';

const COLORS = {
  dark: {
    back: 0x12161f, outlines: 0x707c92, changed: 0xffffff, pairs: 0x7d8db0, begun: 0x58d68d, ended: 0xf0a04b,
    deferred: 0xd05ce0, visited: 0xff3b3b, tested: 0xf7dc4a, hit: 0x3df07a, probe: 0xffffff, selected: 0xffffff,
  },
  light: {
    back: 0xe9edf4, outlines: 0x7d879b, changed: 0x000000, pairs: 0x55648a, begun: 0x1d8348, ended: 0xb9640e,
    deferred: 0x9020a0, visited: 0xd01010, tested: 0xc09a00, hit: 0x0b8a3a, probe: 0x000000, selected: 0x000000,
  },
};

/** Buffers of lines: how each is drawn. */
const LINES = {
  outlines: { opacity: 0.5 },
  cells: { colored: true, opacity: 0.4 },
  bounds: { colored: true, opacity: 0.6 },
  buckets: { colored: true, opacity: 0.75 },
  changed: { opacity: 0.8 },
  pairs: { opacity: 0.6, onTop: true },
  deferred: { opacity: 0.8, onTop: true },
  begun: { opacity: 0, onTop: true },
  ended: { opacity: 0, onTop: true },
  visited: { opacity: 0.75, onTop: true },
  tested: { opacity: 0.3, onTop: true },
  hit: { opacity: 1, onTop: true },
  probe: { opacity: 1, onTop: true },
  selected: { opacity: 1, onTop: true },
};
const COLOR_BUFFERS = { cells: 'cellColors', bounds: 'boundColors', buckets: 'bucketColors' };
const FLASHES = ['begun', 'ended'];
/** Lines that may differ in each frame. */
const SLOW = ['changed', 'deferred'];
const NONE = new Float32Array(0);
/** Where the camera stands, seen from the middle of the world. */
const ASIDE = new THREE.Vector3(0.62, 0.42, 0.66).normalize();
const CORNERS = Array.from({ length: 8 }, (_, bits) => new THREE.Vector3(...[1, 2, 4].map((bit) => (bits & bit ? 1 : -1))));

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(45, 1, 0.1, 1000);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.2);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x59617a, 1.5), this.sun);
    const material = new THREE.MeshLambertMaterial();
    this.boxes = new Solids(this.scene, new THREE.BoxGeometry(), material);
    this.spheres = new Solids(this.scene, new THREE.IcosahedronGeometry(0.5, 2), material);
    this.lines = Object.fromEntries(Object.entries(LINES).map(([name, how]) => [name, new Lines(this.scene, how)]));
    this.model = new THREE.Mesh(
      new THREE.BufferGeometry(),
      new THREE.MeshLambertMaterial({ color: 0xd6cebe, flatShading: true, side: THREE.DoubleSide }),
    );
    this.model.visible = false;
    this.scene.add(this.model);
    this.addSecondCamera();
    this.addControls();
    this.setTheme('dark');
    this.free = { width: 1, height: 1, left: 0, right: 0, top: 0, bottom: 0 };
    this.frame({ min: [-1, -1, -1], max: [1, 1, 1] });
  }

  addSecondCamera() {
    this.second = new THREE.PerspectiveCamera(36, 1.6, 0.1, 100);
    this.helper = new THREE.CameraHelper(this.second);
    this.helper.visible = false;
    this.scene.add(this.helper);
  }

  addControls() {
    this.orbit = new OrbitControls(this.camera, this.canvas);
    // A click starts and ends without a change.
    let isHeld = false;
    this.orbit.addEventListener('start', () => { isHeld = true; });
    this.orbit.addEventListener('change', () => { this.isAllShown &&= !isHeld; });
    this.orbit.addEventListener('end', () => { isHeld = false; });
    this.fly = new FlyControls(this.camera, this.canvas);
    this.fly.dragToLook = true;
    this.fly.enabled = false;
    this.clock = performance.now();
  }

  setTheme(theme) {
    const colors = COLORS[theme];
    this.scene.background = new THREE.Color(colors.back);
    for (const [name, lines] of Object.entries(this.lines)) {
      if (colors[name] !== undefined) lines.color = colors[name];
    }
  }

  /** Keeps a box in mind and moves the camera so that it is seen. */
  frame({ min, max }) {
    this.half = new THREE.Vector3(...max).sub(new THREE.Vector3(...min)).multiplyScalar(0.5);
    this.center = new THREE.Vector3(...min).add(this.half);
    this.radius = Math.max(this.half.length(), 1e-6);
    this.showAll();
    this.second.position.copy(this.center).addScaledVector(new THREE.Vector3(-0.75, 0.25, 0.2), this.radius);
    this.second.lookAt(this.center);
    this.second.near = this.radius * 0.05;
    this.second.far = this.radius * 1.3;
    this.second.updateProjectionMatrix();
  }

  /** Moves the camera so that the box is seen between what covers the canvas. */
  showAll() {
    this.isAllShown = true;
    this.camera.up.set(0, 1, 0);
    this.camera.position.copy(this.center).addScaledVector(ASIDE, this.distanceToSeeAll());
    this.camera.near = this.radius / 200;
    this.camera.far = this.radius * 60;
    this.camera.updateProjectionMatrix();
    this.orbit.target.copy(this.center);
    this.orbit.update();
    this.fly.movementSpeed = this.radius * 0.5;
    this.fly.rollSpeed = 0.6;
  }

  /** How far from the middle each corner of the box is seen in the free part of the canvas. */
  distanceToSeeAll() {
    const { width, height, left, right, top, bottom } = this.free;
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    const across = (slope * Math.max(width - left - right, 100)) / Math.max(height, 1);
    const upward = (slope * Math.max(height - top - bottom, 100)) / Math.max(height, 1);
    const side = new THREE.Vector3(0, 1, 0).cross(ASIDE).normalize();
    const up = ASIDE.clone().cross(side);
    let distance = this.radius * 1e-3;
    for (const signs of CORNERS) {
      const corner = this.half.clone().multiply(signs);
      const needed = Math.max(Math.abs(corner.dot(side)) / across, Math.abs(corner.dot(up)) / upward);
      distance = Math.max(distance, corner.dot(ASIDE) + needed);
    }
    return distance * 1.04;
  }

  setFlying(isFlying) {
    this.isFlying = isFlying;
    if (isFlying) this.isAllShown = false;
    this.orbit.enabled = !isFlying;
    if (!isFlying) {
      // What the eye looks at stays in the middle.
      const ahead = new THREE.Vector3(0, 0, -1).applyQuaternion(this.camera.quaternion);
      this.orbit.target.copy(this.camera.position).addScaledVector(ahead, this.camera.position.distanceTo(this.center));
      this.camera.up.set(0, 1, 0);
      this.orbit.update();
    }
  }

  /** Turns the camera around what it looks at, or brings it nearer. */
  turn(right, up, nearer) {
    this.isAllShown = false;
    const offset = this.camera.position.clone().sub(this.orbit.target);
    const place = new THREE.Spherical().setFromVector3(offset);
    place.theta += right;
    place.phi = Math.min(Math.max(place.phi - up, 0.05), Math.PI - 0.05);
    place.radius *= nearer;
    this.camera.position.copy(this.orbit.target).add(offset.setFromSpherical(place));
    this.orbit.update();
  }

  /** Moves the camera and what it looks at, by parts of the distance between them. */
  move(right, up) {
    this.isAllShown = false;
    const distance = this.camera.position.distanceTo(this.orbit.target);
    const way = new THREE.Vector3(right * distance, up * distance, 0).applyQuaternion(this.camera.quaternion);
    this.camera.position.add(way);
    this.orbit.target.add(way);
    this.orbit.update();
  }

  placeSecondCamera() {
    this.second.position.copy(this.camera.position);
    this.second.quaternion.copy(this.camera.quaternion);
    this.second.updateMatrixWorld();
  }

  /** View and projection of the second camera, column by column. */
  cullingMatrix() {
    this.second.updateMatrixWorld();
    return new THREE.Matrix4().multiplyMatrices(this.second.projectionMatrix, this.second.matrixWorldInverse).elements;
  }

  /** The middle of what is not covered, each coordinate from -1 to 1. */
  middle() {
    const { width, height, left, right, top, bottom } = this.free;
    return [(left - right) / width, (bottom - top) / height];
  }

  /** The ray through a point of the canvas, each coordinate from -1 to 1. */
  ray(x, y) {
    this.camera.updateMatrixWorld();
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(x, y), this.camera);
    return { origin: caster.ray.origin.toArray(), direction: caster.ray.direction.toArray() };
  }

  /** Takes over the buffers of the module; `slow` is as `Flashes.takeSlow` says. */
  take(module, withFlashes, slow) {
    this.boxes.set(module.floats('boxMatrices'), module.floats('boxColors'));
    this.spheres.set(module.floats('sphereMatrices'), module.floats('sphereColors'));
    for (const [name, lines] of Object.entries(this.lines)) {
      const floats = module.floats(name);
      if (SLOW.includes(name) && slow !== 'new') {
        // Lines that are switched off vanish at once.
        if (slow === 'none' || floats.length === 0) lines.set(NONE);
      } else if (withFlashes || !FLASHES.includes(name)) lines.set(floats, COLOR_BUFFERS[name] && module.floats(COLOR_BUFFERS[name]));
    }
  }

  /** Shows a model of triangles, or none. */
  takeModel(module) {
    const corners = module?.floats('triangles').slice();
    this.model.visible = corners !== undefined && corners.length > 0;
    this.model.geometry.dispose();
    this.model.geometry = new THREE.BufferGeometry();
    if (this.model.visible) this.model.geometry.setAttribute('position', new THREE.BufferAttribute(corners, 3));
  }

  showObjects(isShown) {
    this.boxes.mesh.visible = isShown;
    this.spheres.mesh.visible = isShown;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }

  /** Moves the point in the middle of the view away from what covers the canvas, in pixels of each side. */
  setMargins({ left, right, top, bottom }) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.free = { width, height, left, right, top, bottom };
    this.camera.setViewOffset(width, height, (right - left) / 2, (bottom - top) / 2, width, height);
    // Who has not moved the camera wants to go on seeing all.
    if (this.isAllShown) this.showAll();
  }

  draw() {
    const now = performance.now();
    if (this.isFlying) {
      this.fly.enabled = document.activeElement === this.canvas;
      this.fly.update(Math.min((now - this.clock) / 1000, 0.1));
    }
    this.clock = now;
    this.sun.position.copy(this.camera.position).add(new THREE.Vector3(0.3, 1, 0.1).multiplyScalar(this.radius));
    this.sun.target.position.copy(this.center);
    this.sun.target.updateMatrixWorld();
    if (this.helper.visible) this.helper.update();
    this.renderer.render(this.scene, this.camera);
  }
}
