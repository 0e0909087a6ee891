// Keys, while the world has the focus. Every key has a button, too.

const TURN = 0.08;
const MOVE = 0.05;

/** `actions` has a function for each name below. */
export function onKeys(canvas, stage, actions) {
  const keys = {
    ' ': actions.play, ',': actions.back, '.': actions.forward, Home: actions.first, End: actions.last,
    g: actions.fly, 0: actions.showAll, Enter: actions.pickMiddle, n: actions.nextObject, p: actions.previousObject,
    Escape: actions.pickNothing, '?': actions.help,
    '+': () => stage.turn(0, 0, 0.9), '=': () => stage.turn(0, 0, 0.9), '-': () => stage.turn(0, 0, 1 / 0.9),
  };
  const turns = {
    ArrowLeft: () => stage.turn(-TURN, 0, 1), ArrowRight: () => stage.turn(TURN, 0, 1),
    ArrowUp: () => stage.turn(0, TURN, 1), ArrowDown: () => stage.turn(0, -TURN, 1),
  };
  const moves = {
    ArrowLeft: () => stage.move(-MOVE, 0), ArrowRight: () => stage.move(MOVE, 0),
    ArrowUp: () => stage.move(0, MOVE), ArrowDown: () => stage.move(0, -MOVE),
  };
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // In flight the arrows turn the head, as FlyControls has it.
    const action = keys[key] ?? (stage.isFlying ? undefined : (event.shiftKey ? moves : turns)[key]);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}
