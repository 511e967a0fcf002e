"""awake.py: the lab's page while it trains, and after many trainings."""
import statistics

from lab import choose, press_train, wait
from page import BUILD
from turns import timed

# In ms: when the frame gets new weights, and how long it takes to draw what they compute; how long
# a click waits until what it changes is drawn.
WATCH = """
    var got = [], drawn = [], answered = [], slow = 0;
    {
        const inside = run.frame.contentWindow, {takeWeights, requestAnimationFrame} = inside;
        inside.takeWeights = weights => {
            got.push(performance.now());
            while (performance.now() < got.at(-1) + slow);
            takeWeights(weights);
        };
        inside.addEventListener("message", ({data}) => {
            if (data.weights) drawn.push(performance.now() - got.at(-1));
        });
        inside.requestAnimationFrame = draw => requestAnimationFrame.call(inside, time => {
            const begun = performance.now();
            draw(time);
            if (drawn.length) drawn[drawn.length - 1] += performance.now() - begun;
        });
    }
    at("language").addEventListener("click", ({timeStamp}) => requestAnimationFrame(() =>
        setTimeout(() => answered.push(performance.now() - timeStamp))));
"""


def usual(times):
    """What a fifth of the times stay below: other programs of the machine can only add to them."""
    return statistics.quantiles(times, n=5)[0]


def click_while(page, going):
    while page.run(going):
        page.click("#language")
        page.settle()


@timed
def look_at_lab_awake(page, folder):
    """While nine sentences train, ten pictures a second reach the page, or as many as a slow
    machine can draw, and clicks are answered."""
    page.open(BUILD / "lab" / "pulga.html")
    choose(page, "steps", 100000)
    page.click("#train")
    wait(page, "run && !run.waiting && run.log.length > 2")  # its frame stays
    page.run(WATCH)
    click_while(page, "answered.length < 6 || got.length < 30")
    got, drawn, answered = page.run("[got, drawn, answered]")
    # On a slow machine pictures are left out; they do not wait for their turn.
    more = page.run("""new Promise(done => {
        slow = 100;
        setTimeout(() => {
            at("pause").click();
            const before = got.length;
            setTimeout(() => done(got.length - before), 12 * slow);
        }, 20 * slow);
    })""")
    assert more <= 4, more
    # All is measured against this machine: against a click while nothing trains.
    page.run("slow = 0; answered = []")
    click_while(page, "answered.length < 6")
    between = usual([b - a for a, b in zip(got, got[1:])])
    draw, answer, calm = usual(drawn), usual(answered), usual(page.run("answered"))
    print(f"  lab: a picture in {between:.0f} ms, drawn in {draw:.0f} ms; a click is answered in "
          f"{answer:.0f} ms, and in {calm:.0f} ms while nothing trains")
    assert between < max(100, 4 * draw), (got, drawn)
    assert draw < 1.5 * calm and answer < 3 * calm and answer < 4 * between, (drawn, answered)
    page.check_errors()


# What a training may leave behind: workers that are not ended, and the addresses of blobs.
COUNT = """
    var workers = 0, addresses = 0;
    Worker = class extends Worker {
        constructor(...about) {
            super(...about);
            workers++;
        }
        terminate() {
            super.terminate();
            workers--;
        }
    };
    for (const [name, change] of [["createObjectURL", 1], ["revokeObjectURL", -1]]) {
        const was = URL[name].bind(URL);
        URL[name] = what => {
            addresses += change;
            return was(what);
        };
    }
"""


def look_at_lab_again(page, folder):
    """After ten more trainings the tab keeps no more than after the first ones."""
    page.open(BUILD / "lab" / "pulga.html")
    page.run(COUNT)
    choose(page, "steps", 5)
    kept = []
    for trainings in range(12):
        press_train(page)
        kept.append([page.run("[workers, addresses]"), page.kept()])
    print(f"  lab: {kept[1]} after two trainings, {kept[-1]} after twelve")
    (counted, early), (counted_late, late) = kept[1], kept[-1]
    assert counted == counted_late == [1, 0], (counted, counted_late)
    for what, much in late.items():
        assert much <= early[what] * (1.2 if what == "JSHeapUsedSize" else 1), (what, early, late)
    page.check_errors()
